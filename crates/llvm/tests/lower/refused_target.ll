target datalayout = "E-m:e-i64:64"
