//! Submissions that another program has judged: jobs go out as lines of JSON, and what `ktwin run-job` says of each
//! comes back in any order. An empty line ends either. Which is counted how often is decided here, as on one machine.

use std::io::BufRead;

use ktwin_check::Verdict;

use super::batch::{Batch, Same, add};
use super::job::{Answer, File, Job};
use super::journal::{Journal, Record, plausible};
use super::unread;
use crate::outcome::print;

/// Hands out jobs, and keeps what comes back.
pub fn run(batch: &Batch, groups: &[Same], journal: &mut Journal) -> Result<(), String> {
    let task = std::path::absolute(batch.file)
        .map_err(|e| format!("{}: {}", batch.file.display(), ktwin_num::reason(&e)))?;
    let mut open = vec![false; groups.len()];
    for (number, group) in groups.iter().enumerate() {
        let submission = group[0];
        match &submission.bytes {
            Err(why) => {
                let record = Record { verdict: Verdict::Invalid, reason: why.clone(), ..Record::default() };
                add(group, &record, journal)?;
            }
            Ok(bytes) => {
                let source = File::new(&submission.name, bytes, submission.beside.as_deref());
                let job = Job::of_task(number, task.clone(), batch.task.id.clone(), source);
                print(&format!("{}\n", serde_json::to_string(&job).map_err(|e| e.to_string())?));
                open[number] = true;
            }
        }
    }
    print("\n");
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| format!("standard input: {}", ktwin_num::reason(&e)))?;
        // a process that was forked may still hold the pipe: its end may never come
        if line.is_empty() {
            break;
        }
        let answer: Answer = serde_json::from_str(&line).map_err(|e| {
            format!("standard input: this is not what `ktwin run-job` prints: {}", unread(&e))
        })?;
        let number = answer.job.filter(|n| groups.get(*n).is_some());
        let number = number.ok_or("standard input: an answer to a job that was not handed out")?;
        let record = answer.record.ok_or("standard input: an answer without a record")?;
        plausible(&record).map_err(|why| format!("standard input: {why}"))?;
        // what is judged twice counts once
        if std::mem::take(&mut open[number]) {
            add(&groups[number], &record, journal)?;
        }
    }
    Ok(())
}
