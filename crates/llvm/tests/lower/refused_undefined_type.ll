@x = global %struct.none zeroinitializer
