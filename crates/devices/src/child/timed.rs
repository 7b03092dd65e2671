//! The parent's side of timing: one worker for all launches, its times as it says them, and beside them a long batch by
//! the parent's own clock.

use std::io;

use ktwin_check::bench::{Answer, Measured, Timing};
use ktwin_check::{Failure, Launch};

use super::place::Placed;
use super::{Job, bytes_of};
use crate::limits::Limits;

impl Job<'_> {
    /// Times launches in one child process, which may take as long as timing does beside what each launch may.
    pub fn timed(&self, launches: &[Launch], timing: &Timing, limits: Limits) -> Result<Answer, Failure> {
        let broken = |e: io::Error| Failure::Broken(format!("cannot run a child process: {e}"));
        let mut memories = self.placed(launches).map_err(broken)?;
        // beside the buffers, what each of them holds beforehand
        let all = launches.iter().map(bytes_of).sum::<u64>();
        let time = timing.most.saturating_add(limits.time.saturating_mul(2));
        let limits = Limits { time, memory: limits.memory.saturating_add(3 * all), ..limits };
        let mut stopped = self.started(launches, &memories, limits).map_err(broken)?;
        if stopped.heard.ended.len() < launches.len() || !stopped.is_clean() {
            return Err(stopped.failure());
        }
        if let Some(failure) = stopped.heard.ended.iter().find_map(|end| end.as_ref().err()) {
            return Err(self.believed(failure.clone()));
        }
        let odd = |what: &str| Failure::Crash(format!("the kernel's process broke the protocol: {what}"));
        let Some(mut times) = stopped.heard.times.take() else { return Err(odd("it sent no times")) };
        let [began, ended] = stopped.heard.marks[..] else { return Err(odd("the long batch has no ends")) };
        times.wall = u64::try_from((ended - began).as_nanos()).unwrap_or(u64::MAX);
        let each: Vec<(&mut Vec<Placed>, &Launch)> = memories.iter_mut().zip(launches).collect();
        let ran = stopped.heard.ended.iter().zip(each);
        let ran = ran.map(|(end, (memory, launch))| self.result(end, memory, launch)).collect();
        Ok((Measured::Times(times), ran))
    }
}
