module asm ".globl foo"
