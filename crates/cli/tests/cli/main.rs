//! The command line from outside: what it prints, how it ends, what it refuses.

mod bad_input;
mod c_programs;
mod c_reports;
mod custom_models;
mod dpor;
mod executions;
mod exit_codes;
mod explain;
mod generate;
mod human;
mod json;
mod limits;
mod lists;
mod log;
mod options;
mod replay;
mod run;
mod rvf;
