//! From a kernel and its contract to a verdict: contract, plan, case, inputs, guard, compare, diagnose,
//! shrink, events.
//!
//! Each part of the flow takes plain data and returns plain data. Nothing here prints, and no hardware is touched:
//! that is what a [`Device`] is for.
#![warn(missing_docs)]

mod accept;
mod again;
mod altered;
mod apart;
mod applies;
pub mod audit;
mod batch;
pub mod bench;
mod border;
mod bound;
pub mod by_name;
pub mod calibrate;
mod calling;
mod case;
mod chain;
mod check;
mod chosen;
mod cleared;
mod closure;
mod common;
mod compare;
pub mod comparisons;
mod conclusion;
mod constants;
mod contract;
mod counts;
mod device;
mod diagnose;
mod digits;
mod direction;
mod domain;
pub mod elsewhere;
mod encoders;
mod error_map;
mod event;
mod evidence;
mod explanation;
mod expressions;
mod failure;
mod finding;
mod first;
mod footprint;
mod formula;
mod found;
mod further;
mod guard;
mod held;
mod huge;
mod inputs;
pub mod instead;
pub mod interface;
mod json;
mod kernel;
mod keyed;
mod kin;
pub mod languages;
mod launch;
mod law;
mod least;
mod leftover;
mod literals;
mod marks;
mod metrics;
mod misfit;
mod misread;
mod mutants;
mod ops;
mod packing;
pub mod parts;
mod pattern;
pub mod pin;
mod places;
mod plan;
mod pointers;
mod policy;
mod probe;
mod problem;
mod processes;
mod programs;
mod promise;
pub mod reach;
mod read;
mod reads;
mod registry;
mod relaid;
mod remainders;
mod reordered;
mod report;
mod resources;
pub mod rules;
mod rung;
mod sanitize;
mod scalars;
mod schedule;
#[cfg(test)]
mod schema;
mod seek;
mod setup;
mod shares;
mod shrink;
pub mod signature;
mod sound;
mod source;
mod spared;
mod spent;
mod step;
mod strayed;
mod task;
mod terms;
mod ties;
mod trial;
mod twin;
mod verdict;
mod weak;
mod weights;
mod wider;
mod workgroups;
pub mod worth;
mod wraps;

pub use accept::accepts;
pub use again::LAUNCHES as LAUNCHES_OF_ONE;
pub use calling::{Calling, Given, Style, told};
pub use case::Case;
pub use check::{Options, Repeat, check, draw_seed, seed_cases};
pub use chosen::Chosen;
pub use closure::{Call, Closure, Function};
pub use compare::{Compared, Due, Element, Expected, Judgement, indices};
pub use contract::set::Setting;
pub use contract::{
    Arg, Begun, Contract, Expr, Field, Fill, Limit, Link, Name, Nan, Promises, Scratch, Side, Spot,
};
pub use contract::{contract_keys, example as contract_example, nearly_opens};
pub use device::{
    Access, Argument, Buffer, Build, Constant, Description, Device, Failure, Global, Launch, MOST_GROUPS,
    Number, Program, Ran, Step, Visit, Word, pack, pointers,
};
pub use event::{
    CaseEnded, Counts, ElementReport, Event, FailureReport, InputReport, KernelReport, KernelStarted,
    Measures, Note, OutputReport, RunStarted, Rungs, SCHEMA, Totals,
};
pub use finding::{Finding, Kind};
pub use guard::written;
pub use inputs::{Prepared, prepare};
pub use kernel::{Catalogue, Kernel, LoadError};
pub use languages::SourceKind;
pub use launch::Memory;
pub use law::{FALSE_ALARMS, LawReport, LawTest};
pub use least::{Least, Weaker};
pub use metrics::Metrics;
pub use mutants::Mutant;
pub use ops::find as find_op;
pub use pattern::{Data, Direction, LaidOut, Misread, Neighbour, Pattern, Place, Rule, What};
pub use plan::{Amount, Draw, Level, Plan, Space, coverage, plan, production};
pub use policy::examples as policy_examples;
pub use policy::{Decider, PRESETS, Policy, RULES, Rule as PolicyRule};
pub use problem::Problem;
pub use promise::{Content, PromiseReport, hash_of, promise};
pub use read::{bytes as read_bytes, text as read_text, up_to as read_up_to};
pub use registry::{Day, Entry, Expectation, REGISTRY, Registry, Says};
pub use report::without_numbers;
pub use resources::Resources;
pub use sanitize::{Sanitized, SanitizerTool};
pub use setup::Setup;
pub use shares::{SHARES, histogram};
pub use source::Source;
pub use spent::Spent;
pub use task::{Task, TaskLimits};
pub use terms::Terms;
pub use trial::{Trial, run as run_case, verdict_of};
pub use verdict::{CaseReport, Verdict};
pub use weights::Weights;
