//! The papers' counts.
//!
//! Sources are a paper and its table or section; a formula in parentheses is ours and explains all the numbers the
//! paper prints. "GenMC" and "Nidhugg" stand for counts that version 0.11 of the one and 0.4 of the other
//! give for a program that a paper describes.

use crate::rows::Model::{self, Pso, Ra, Rc11, Sc, Sra, Tso};
use crate::rows::Series;
use crate::rows::UpTo::{self, Co, Rf};

const fn series(
    family: &'static str,
    (model, up_to): (Model, UpTo),
    source: &'static str,
    counts: &'static [(u64, u64)],
) -> Series {
    Series { family, model, up_to, source, counts, note: "", is_explained: false, is_slow: false }
}

const fn noted(series: Series, note: &'static str) -> Series {
    Series { note, ..series }
}

/// Our counts differ, and the note says why.
const fn explained(series: Series, note: &'static str) -> Series {
    Series { note, is_explained: true, ..series }
}

const fn slow(series: Series) -> Series {
    Series { is_slow: true, ..series }
}

pub const SERIES: &[Series] = &[
    series("w+r", (Rc11, Co), "RCMC §2.1", &[(0, 2)]),
    series("coww+r", (Rc11, Co), "RCMC §2.1", &[(0, 3)]),
    series("co2rrw", (Rc11, Co), "RCMC §2.2", &[(0, 6)]),
    series("corr2", (Rc11, Co), "RCMC §2.3", &[(0, 72)]),
    series("corr2", (Rc11, Rf), "Nidhugg suite", &[(0, 47)]),
    series("w+w+rr", (Sc, Co), "TruSt §2.1", &[(0, 4)]),
    series("w+w+rr", (Rc11, Co), "TruSt §2.1", &[(0, 4)]),
    series("r+w+w", (Rc11, Co), "TruSt §3.5", &[(0, 6)]),
    series("r+w+w", (Rc11, Rf), "TruSt §4.2", &[(0, 3)]),
    series("tracer-fig1a", (Ra, Co), "Tracer §1", &[(0, 4)]),
    series("tracer-fig1a", (Ra, Rf), "Tracer §1", &[(0, 3)]),
    series("tracer-fig7", (Ra, Rf), "Tracer §5.3", &[(0, 4)]),
    series("rvf-fig1", (Sc, Co), "RVF-SMC Fig. 1", &[(0, 98)]),
    series("rvf-fig1", (Sc, Rf), "RVF-SMC Fig. 1", &[(0, 9)]),
    series("n-writes", (Rc11, Co), "RCMC §5 (N!)", &[(8, 40320)]),
    series("n-writes", (Rc11, Rf), "RCMC §5", &[(8, 1)]),
    // RCMC.
    series("readers", (Rc11, Co), "RCMC (2^N)", &[(10, 1024), (15, 32768), (18, 262_144)]),
    series("ainc", (Rc11, Co), "RCMC (N!)", &[(6, 720), (8, 40320), (9, 362_880)]),
    series("binc", (Rc11, Co), "RCMC Table 2", &[(3, 36), (4, 576), (5, 14400), (6, 518_400)]),
    series("binc", (Sc, Co), "RCMC Table 2", &[(5, 14400), (6, 518_400)]),
    series("binc", (Tso, Co), "RCMC Table 2", &[(5, 14400), (6, 518_400)]),
    series("casrot", (Rc11, Co), "RCMC Table 1", &[(4, 14), (6, 144), (8, 2048), (10, 38486)]),
    series("casw", (Rc11, Co), "RCMC Table 3", &[(3, 66), (4, 1200), (5, 32880), (6, 1_270_080)]),
    series("casw", (Rc11, Rf), "RCMC Table 3", &[(3, 24), (4, 200), (5, 2160), (6, 28812)]),
    series("casw", (Sc, Co), "RCMC Table 3", &[(5, 32880), (6, 1_270_080)]),
    series("casw", (Tso, Co), "RCMC Table 3", &[(5, 32880)]),
    series("casw", (Pso, Co), "RCMC Table 3", &[(5, 32880)]),
    series("fib", (Rc11, Co), "RCMC Table 5", &[(3, 2258), (4, 34205), (5, 525_630)]),
    series("fib", (Rc11, Rf), "RCMC Table 5", &[(3, 2258), (4, 34205), (5, 525_630)]),
    series("fib", (Ra, Co), "Tracer Table 3", &[(5, 525_630)]),
    series("fib", (Ra, Rf), "Tracer Table 3", &[(5, 525_630)]),
    series("fib", (Sra, Co), "RCMC Table 5", &[(5, 525_630)]),
    series("fib", (Tso, Co), "RCMC Table 5", &[(3, 2258), (4, 34205), (5, 525_630)]),
    series("fib", (Pso, Co), "RCMC Table 5", &[(3, 2258), (4, 34205), (5, 525_630)]),
    series("fib", (Tso, Rf), "RCMC Table 5", &[(4, 34205), (5, 525_630)]),
    noted(
        series("fib", (Sc, Co), "GenMC, Nidhugg", &[(3, 1698), (4, 19605), (5, 218_243)]),
        "RCMC Table 5 prints 1710, 19706, 219057, which counts sleep-set blocked runs of Nidhugg's",
    ),
    series("fib", (Sc, Rf), "GenMC, Nidhugg", &[(3, 1698), (4, 19605), (5, 218_243)]),
    series("lastzero", (Rc11, Co), "RCMC Table 4, TruSt Table 1", LASTZERO),
    series("lastzero", (Rc11, Rf), "RCMC Table 4", &[(10, 3328), (15, 147_456)]),
    series("lastzero", (Sc, Co), "RCMC Table 4", &[(15, 147_456)]),
    series("lastzero", (Tso, Co), "RCMC Table 4", &[(15, 147_456)]),
    series("lastzero1", (Rc11, Co), "RCMC Table 4", &[(5, 64), (10, 3328), (15, 147_456)]),
    series("indexer-cas", (Rc11, Co), "RCMC Table 2", INDEXER),
    // Tracer.
    series("indexer", (Rc11, Co), "Tracer Table 2 (8^(N-11))", INDEXER),
    series("indexer", (Ra, Rf), "Tracer Table 2", &[(13, 64), (14, 512), (15, 4096)]),
    series("filesystem", (Ra, Co), "Tracer Table 2", &[(16, 8), (19, 64), (22, 512)]),
    series("filesystem", (Ra, Rf), "Tracer Table 2", &[(16, 8), (19, 64), (22, 512), (25, 4096)]),
    series("n_writers_a_reader", (Ra, Co), "Tracer Table 4", &[(7, 40320), (8, 362_880), (9, 3_628_800)]),
    series("n_writers_a_reader", (Ra, Rf), "Tracer Table 4", &[(7, 8), (8, 9), (9, 10), (10, 11)]),
    series("redundant_co", (Ra, Co), "Tracer Table 4", &[(5, 16632)]),
    series("redundant_co", (Ra, Rf), "Tracer Table 4", &[(5, 91), (10, 331), (15, 721), (20, 1261)]),
    series("sigma", (Ra, Co), "Tracer Tables 3, 5", &[(5, 945), (6, 10395), (7, 135_135), (8, 2_027_025)]),
    series("sigma", (Ra, Rf), "Tracer Tables 3, 5", &[(5, 120), (6, 720), (7, 5040), (8, 40320)]),
    series("control_flow", (Ra, Co), "Tracer Table 5", &[(6, 55440), (8, 11_007_360)]),
    series("control_flow", (Ra, Rf), "Tracer Table 5", &[(6, 77), (8, 273), (10, 1045), (12, 4121)]),
    series("exponential_bug", (Ra, Co), "Tracer Table 5", &[(6, 1_203_446), (7, 2_833_112)]),
    series("exponential_bug", (Ra, Co), "GenMC", &[(1, 2246), (2, 11444)]),
    series("exponential_bug", (Ra, Rf), "GenMC", &[(1, 879), (2, 1934)]),
    explained(
        series("exponential_bug", (Ra, Rf), "Tracer Table 5", EXPONENTIAL_BUG_RF),
        "the executions up to co, of which we find as many as RCMC, have this many different reads-from \
         relations; Tracer's number is 3 less for every N, why is not known",
    ),
    series("pthread_demo", (Ra, Co), "Tracer Table 3", &[(10, 184_756)]),
    series("stack_true", (Ra, Co), "Tracer Table 3", &[(12, 2_704_156)]),
    series("queue_ok", (Ra, Rf), "Tracer Table 3", &[(9, 362_880)]),
    series("ticket_mutex", (Ra, Rf), "Tracer Table 6", &[(10, 4026)]),
    series("clh", (Ra, Rf), "Tracer Table 6", &[(10, 732)]),
    series("mpsc", (Ra, Rf), "Tracer Table 6", &[(10, 4824)]),
    series("tidex", (Ra, Rf), "Tracer Table 6", &[(5, 748)]),
    series("tidex", (Ra, Co), "GenMC", &[(5, 818)]),
    series("barrier", (Ra, Rf), "Tracer Table 6", &[(10, 31944)]),
    // TruSt.
    series("exp-mem", (Rc11, Co), "TruSt Table 1", &[(7, 10080), (8, 80640), (9, 725_760)]),
    series("exp-mem2", (Rc11, Co), "TruSt Table 1", &[(4, 20736), (5, 705_600), (6, 33_177_600)]),
    series("seqlock-atomic", (Rc11, Co), "TruSt Table 2", &[(5, 1500)]),
    slow(series("seqlock-atomic", (Rc11, Co), "TruSt Table 2", &[(6, 16200)])),
    // RVF-SMC.
    series("45_monabsex1", (Sc, Co), "RVF-SMC Table 1 ((U!)^2)", &[(5, 14400), (6, 518_400)]),
    series("45_monabsex1", (Sc, Rf), "RVF-SMC Table 1", &[(7, 262_144)]),
    series("13_unverif", (Sc, Co), "RVF-SMC Table 2", &[(5, 14400), (6, 518_400)]),
    series("13_unverif", (Sc, Rf), "RVF-SMC Table 2", &[(5, 14400)]),
    series("reorder_5", (Sc, Rf), "RVF-SMC Table 1 (2U^3+U^2+1)", &[(9, 1540), (15, 6976)]),
    series("singleton", (Sc, Rf), "RVF-SMC Table 1", &[(20, 20), (30, 30)]),
    series("pgsql", (Sc, Co), "RVF-SMC Table 2", &[(2, 85), (3, 3906), (4, 335_923)]),
    series("pgsql", (Sc, Rf), "RVF-SMC Table 2", &[(2, 85), (3, 3906)]),
    series("approxds_append", (Sc, Rf), "RVF-SMC Table 2", &[(6, 198_936)]),
    series("approxds_append", (Sc, Rf), "Nidhugg", &[(4, 580), (5, 9945)]),
    series("approxds_append", (Sc, Co), "Nidhugg", &[(4, 2460)]),
];

const LASTZERO: &[(u64, u64)] = &[(5, 64), (10, 3328), (15, 147_456), (20, 6_029_312)];
const INDEXER: &[(u64, u64)] = &[(12, 8), (13, 64), (14, 512), (15, 4096)];
const EXPONENTIAL_BUG_RF: &[(u64, u64)] = &[(6, 15601), (7, 22841), (8, 32313), (9, 44428)];
