@x = globally global i32 0
