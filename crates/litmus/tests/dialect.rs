//! Forms of herd's dialects that the corpus does not use, and their meanings.

use atropos_litmus::{load, parse};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    if let Err(error) = load(text, "t.litmus") {
        panic!("{error}");
    }
    expected.assert_eq(&parse(text, "t.litmus").unwrap_or_else(|error| panic!("{error}")).to_string());
}

#[test]
fn a_file_as_diy_writes_it() {
    let text = "(* a comment *)\r\nC MP+porel+poacq\r\n\"PodWW Rfe PodRR Fre\"\r\nGenerator=diy7 (version 7.57)\r\n\
                Prefetch=0:x=F,0:y=W\r\nCom=Rf Fr\r\n{}\r\n\
                P0 (volatile int* y,volatile int* x) {\r\n  *x = 1;\r\n  atomic_store_explicit(y,1,memory_order_release);\r\n}\r\n\
                P1 (volatile int* y,volatile int* x) {\r\n\
                int r0 = atomic_load_explicit(y,memory_order_consume);\r\n  int r1 = (*x); // plain\r\n}\r\n\
                exists\r\n(1:r0=1 /\\ 1:r1=0)\r\n";
    check(
        text,
        expect![[r#"
        C MP+porel+poacq
        "PodWW Rfe PodRR Fre"
        Generator=diy7 (version 7.57)
        Prefetch=0:x=F,0:y=W
        Com=Rf Fr
        {
        }

        P0 (volatile int* y, volatile int* x) {
          *x = 1;
          atomic_store_explicit(y, 1, memory_order_release);
        }

        P1 (volatile int* y, volatile int* x) {
          int r0 = atomic_load_explicit(y, memory_order_acquire);
          int r1 = *x;
        }

        exists (1:r0=1 /\ 1:r1=0)
    "#]],
    );
}

#[test]
fn initial_states() {
    let text = "C init\n{ x = 1; [y] = -2; int a = 0x10; atomic_int z; _Atomic(long) w = 3; const unsigned long long int v; \
                int *p = &x; q = y; 0:r1 = x; P0:r2 = 7 }\n\
                P0 (int* x, void* unused) { int r3 = *r1 + r2; }\nlocations [*x; [y]; a; 0:r3]\nforall (true)";
    check(
        text,
        expect![[r#"
        C init
        {
        [x]=1;
        [y]=-2;
        int a=16;
        atomic_int z=0;
        atomic_long w=3;
        unsigned long v=0;
        int* p=x;
        [q]=y;
        0:r1=x;
        0:r2=7;
        }

        P0 (int* x, void* unused) {
          int r3 = *r1 + r2;
        }

        locations [x;y;a;0:r3;]
        forall (true)
    "#]],
    );
}

#[test]
fn statements() {
    let text = "C statements\n{ x=0; }\nP0 (atomic_int *x) {\n\
                int a, b = 2, c;\n  atomic_init(x, 5); atomic_fetch_sub(&x, 1); atomic_signal_fence(memory_order_seq_cst);\n\
                if (a) b++; else { --c; }\n  a |= b << 1; ;\n  { int d = true; }\n\
                while (a > 100) a -= 1;\n  do a = a % 3; while (a >= 3);\n\
                int ok = atomic_compare_exchange_weak(x, &a, b);\n  c = -(-b) - -1;\n}\nexists not x=5";
    check(
        text,
        expect![[r#"
        C statements
        {
        [x]=0;
        }

        P0 (atomic_int* x) {
          int a;
          int b = 2;
          int c;
          *x = 5;
          atomic_fetch_sub_explicit(x, 1, memory_order_seq_cst);
          if (a) {
            b = b + 1;
          } else {
            c = c - 1;
          }
          a = a | b << 1;
          {
            int d = 1;
          }
          while (a > 100) {
            a = a - 1;
          }
          do {
            a = a % 3;
          } while (a >= 3);
          int ok = atomic_compare_exchange_weak_explicit(x, &a, b, memory_order_seq_cst, memory_order_seq_cst);
          c = -(-b) - -1;
        }

        exists (not (x=5))
    "#]],
    );
}

#[test]
fn conditions() {
    let text = "C conditions\n{ x=0; y=0; }\nP0 (int* x, int* y) { int r0 = *x; int r1 = *y; }\n\
                filter ~(0:r0=5)\nnot exists (x=1 \\/ y!=2 /\\ (0:r0=0:r1 => [x]=[y]) \\/ ~(false /\\ true)) ;";
    check(
        text,
        expect![[r#"
        C conditions
        {
        [x]=0;
        [y]=0;
        }

        P0 (int* x, int* y) {
          int r0 = *x;
          int r1 = *y;
        }

        filter (not (0:r0=5))
        ~exists (x=1 \/ not (y=2) /\ (0:r0=0:r1 => x=[y]) \/ not (false /\ true))
    "#]],
    );
}

#[test]
fn x86_tables() {
    let text = "X86 table\n{ x=0; 0:EAX=1; }\n P0 | P1 ;\n mov [x], eax || ;\n LOCK | LFENCE ;\n INC [x] | MOV (x),1 ;\n\
                | end: ;\nlocations [x; 0:eax;]";
    check(
        text,
        expect![[r#"
        X86 table
        {
        [x]=0;
        0:EAX=1;
        }

         P0           | P1         ;
         MOV [x],EAX  | LFENCE     ;
         LOCK INC [x] | MOV [x],$1 ;
                      | end:       ;

        locations [x;0:eax;]
    "#]],
    );
    let text = "X86_64 att\n{ uint64_t x; 0:rsi=x; }\n P0 ;\n movq $1, (%rsi) ;\n lock xaddq %rax, (x) ;\n cmpq $3, %rax ;\n\
                jne out ;\n xchgq %r8, %rbx ;\n out: ;\nexists (0:rax=1)";
    check(
        text,
        expect![[r#"
        X86_64 att
        {
        unsigned long x=0;
        0:rsi=x;
        }

         P0                  ;
         movq $1,(%rsi)      ;
         lock xaddq %rax,(x) ;
         cmpq $3,%rax        ;
         jne out             ;
         xchgq %r8,%rbx      ;
         out:                ;

        exists (0:rax=1)
    "#]],
    );
}
