//! The command as users call it, and what goes in and out of it: one program, since each takes as long to link as many
//! tests take to run. What `.ci/run` names, and what needs a process for itself, is beside this folder.

mod arrays;
mod bench;
mod book;
mod card;
mod compared;
mod contracts;
mod cuda;
mod events;
mod faulty_systems;
mod found;
mod handed;
mod hidden;
mod jobs;
mod judge;
mod new;
mod ops;
mod plan;
mod problems;
mod promise;
mod refusals;
mod runner;
mod strange;
#[path = "../support/mod.rs"]
mod support;
mod triton;
mod twin;
mod two_files;
mod unheeded;
mod words;
