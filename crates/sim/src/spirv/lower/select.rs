//! Which file lowers which instruction.

use super::Lower;
use crate::emit::Res;
use crate::spirv::consts::poison;
use crate::spirv::decode::Inst;
use spirv::Op;

impl Lower<'_> {
    pub fn step(&mut self, inst: &Inst) -> Res<()> {
        use Op::*;
        match inst.op {
            Phi | Nop | SelectionMerge | LoopMerge | Line | NoLine | AssumeTrueKHR | LifetimeStart
            | LifetimeStop => Ok(()),
            Variable => self.variable(inst),
            _ if self.module.parts.written.contains_key(&inst.id) => Ok(()),
            Load => self.load(inst),
            Store => self.store(inst),
            CopyMemory => self.copy_memory(inst),
            AccessChain | InBoundsAccessChain | PtrAccessChain | InBoundsPtrAccessChain => self.chain(inst),
            PtrCastToGeneric | GenericCastToPtr | ConvertPtrToU | ConvertUToPtr => self.pointer_cast(inst),
            GenericCastToPtrExplicit => self.checked_cast(inst),
            CopyMemorySized => self.copy_bytes(inst),
            ArrayLength => self.array_length(inst),
            CopyObject | CopyLogical | ExpectKHR => self.copy(inst),
            Undef => {
                let scalars = self.types().scalars(inst.ty)?;
                let value = scalars.iter().map(|&s| self.constant(s.ty(), poison(s))).collect();
                self.set(inst, value)
            }
            FunctionCall => self.call(inst),
            ExtInst => self.extended_instruction(inst),
            ControlBarrier => self.control_barrier(inst),
            MemoryBarrier => self.memory_barrier(inst),
            AtomicLoad
            | AtomicStore
            | AtomicExchange
            | AtomicCompareExchange
            | AtomicCompareExchangeWeak
            | AtomicIIncrement
            | AtomicIDecrement
            | AtomicIAdd
            | AtomicISub
            | AtomicSMin
            | AtomicUMin
            | AtomicSMax
            | AtomicUMax
            | AtomicAnd
            | AtomicOr
            | AtomicXor
            | AtomicFAddEXT
            | AtomicFMinEXT
            | AtomicFMaxEXT => self.atomic(inst),
            CompositeConstruct => self.construct(inst),
            CompositeExtract => self.extract(inst),
            CompositeInsert => self.insert(inst),
            VectorShuffle => self.shuffle(inst),
            VectorExtractDynamic => self.extract_dynamic(inst),
            VectorInsertDynamic => self.insert_dynamic(inst),
            Select => self.select(inst),
            _ => self.compute(inst),
        }
    }

    /// Instructions that only compute.
    fn compute(&mut self, inst: &Inst) -> Res<()> {
        use Op::*;
        match inst.op {
            Transpose | OuterProduct | VectorTimesMatrix | MatrixTimesVector | MatrixTimesMatrix => {
                self.matrix(inst)
            }
            Dot => self.dot_product(inst),
            op if super::arith::of_two(op) => self.binary(inst),
            Bitcast if self.is_pointer(inst) => self.pointer_cast(inst),
            SatConvertSToU | SatConvertUToS => self.conversion(inst),
            IsFinite | IsNormal | SignBitSet | Ordered | Unordered | LessOrGreater => self.classified(inst),
            GroupAll | GroupAny | GroupBroadcast | GroupIAdd | GroupFAdd | GroupFMin | GroupUMin
            | GroupSMin | GroupFMax | GroupUMax | GroupSMax => self.group(inst),
            FNegate | SNegate | Not | LogicalNot | IsNan | IsInf => self.unary(inst),
            Any | All => self.truth(inst),
            UConvert | SConvert | ConvertSToF | ConvertUToF | ConvertFToS | ConvertFToU | FConvert
            | QuantizeToF16 => self.conversion(inst),
            Bitcast => self.bitcast(inst),
            UMulExtended | SMulExtended | IAddCarry | ISubBorrow => self.extended_pair(inst),
            BitFieldInsert | BitFieldSExtract | BitFieldUExtract | BitReverse | BitCount => {
                self.bit_function(inst)
            }
            SDot | UDot | SUDot | SDotAccSat | UDotAccSat | SUDotAccSat => self.integer_dot(inst),
            op if format!("{op:?}").starts_with("GroupNonUniform") => self.group(inst),
            op if format!("{op:?}").starts_with("Image") => {
                self.unsupported("the simulator has no textures: compute with buffers")
            }
            op if format!("{op:?}").starts_with("CooperativeMatrix") => {
                self.unsupported("the simulator has no cooperative matrices")
            }
            _ => self.unsupported("the simulator does not have this instruction"),
        }
    }
}
