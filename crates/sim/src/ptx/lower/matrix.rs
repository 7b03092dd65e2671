//! Matrix products of warps, the loads that feed them, and asynchronous copies.

use super::build::Lower;
use crate::ptx::ast::Instr;
use crate::ptx::parse::Res;

impl Lower {
    pub fn matrix(&mut self, ins: &Instr) -> Res<()> {
        self.fail(format!("`{}` is not supported", ins.op.join(".")))
    }

    pub fn copy(&mut self, ins: &Instr) -> Res<()> {
        self.fail(format!("`{}` is not supported", ins.op.join(".")))
    }
}
