//! RVF-SMC: the figures and tables of its paper, and what can be wrong with a program.

mod common;
mod golden;
mod violations;
