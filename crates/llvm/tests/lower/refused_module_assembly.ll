module asm "f: ret"
