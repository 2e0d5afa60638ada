//! Functions that are chosen when a program is loaded (`ifunc`).
//!
//! Before all constructors, the program calls the function that chooses, and keeps the address that it returns. The
//! chosen function's name is a function that calls this address.

use std::rc::Rc;

use super::Module;
use crate::ast::{Arg, Block, Call, Function, FunctionType, Global, Instr, Linkage, Op, Type, Typed, Value};

impl Module {
    /// Makes `name` the function of type `ty` that `resolver` chooses.
    pub(super) fn choose_at_start(
        &mut self,
        name: &Rc<str>,
        ty: Rc<FunctionType>,
        resolver: Rc<str>,
        linkage: Linkage,
    ) {
        let kept: Rc<str> = format!("address of {name}").into();
        let chooses: Rc<str> = format!("choose {name}").into();
        let global = Global {
            name: kept.clone(),
            ty: Type::Ptr,
            initialiser: Some(Value::Null),
            constant: false,
            thread_local: false,
            align: 8,
            linkage: Linkage::Local,
            debug: None,
        };
        self.globals.insert(kept.clone(), global);
        let choose = Call {
            result: Type::Ptr,
            variadic: false,
            n_fixed: 0,
            callee: Value::Global(resolver),
            args: Vec::new(),
        };
        let store = Op::Store { value: pointer("chosen"), ptr: Value::Global(kept.clone()), order: None };
        let body = [(Some("chosen"), Op::Call(choose)), (None, store), (None, Op::Ret(None))];
        let nothing = FunctionType { result: Type::Void, params: Vec::new(), variadic: false };
        self.make_function(&chooses, Rc::new(nothing), Linkage::Local, body.to_vec());
        self.choosing.push(chooses);
        let load = Op::Load { ty: Type::Ptr, ptr: Value::Global(kept), order: None };
        let args = params(&ty).into_iter().zip(&ty.params).map(|(name, ty)| Arg {
            value: Typed { ty: ty.clone(), value: Value::Local(name) },
            byval: None,
            noundef: false,
            element: None,
        });
        let call = Call {
            result: ty.result.clone(),
            variadic: false,
            n_fixed: ty.params.len(),
            callee: Value::Local("chosen".into()),
            args: args.collect(),
        };
        let (result, back) = match &ty.result {
            Type::Void => (None, None),
            result => {
                (Some("result"), Some(Typed { ty: result.clone(), value: Value::Local("result".into()) }))
            }
        };
        let body = vec![(Some("chosen"), load), (result, Op::Call(call)), (None, Op::Ret(back))];
        self.make_function(name, ty, linkage, body);
    }

    fn make_function(
        &mut self,
        name: &Rc<str>,
        ty: Rc<FunctionType>,
        linkage: Linkage,
        body: Vec<(Option<&str>, Op)>,
    ) {
        let instr = |(result, op): (Option<&str>, Op)| Instr::made(result.map(Rc::from), op);
        let block = Block { name: "start".into(), instrs: body.into_iter().map(instr).collect() };
        self.made.insert(name.clone(), vec![block]);
        let params = params(&ty);
        let function = Function { name: name.clone(), ty, params, linkage, body: Some((0..0, 0)) };
        self.functions.insert(name.clone(), function);
    }
}

fn params(ty: &FunctionType) -> Vec<Rc<str>> {
    (0..ty.params.len()).map(|nth| format!("p{nth}").into()).collect()
}

fn pointer(name: &str) -> Typed {
    Typed { ty: Type::Ptr, value: Value::Local(name.into()) }
}
