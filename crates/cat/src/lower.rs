//! Turns statements into a [`Plan`]: resolves names, checks sorts, expands functions.
//!
//! Scoping is lexical, as in herd: a `let` hides earlier definitions of the name, and a function body sees what was
//! defined before the function. Definitions do not recurse without `rec`, so expansion terminates. Its size is
//! bounded all the same, because functions that call functions twice grow exponentially.
//!
//! Deviations from herd:
//! 1. A recursive definition must be a relation, and must not use its own variables under `~` or to the
//!    right of `\`. The least fixpoint then exists and iteration from the empty relation finds it; herd
//!    iterates without this check.
//! 2. Sorts are checked here and not during evaluation, since the vocabulary is fixed.

use crate::ast::{BinaryOp, Binding, Check, CheckKind, Expr, ExprKind, Identifier, PostfixOp, Statement};
use crate::parser::MAX_HEIGHT;
use crate::plan::{Group, NodeId, Op, Plan, Sort};
use crate::vocabulary::{BaseRelation, BaseSet};
use atropos_event::{Fault, Span};

/// The maximum number of visited expressions, with functions expanded.
const MAX_EXPANSION: usize = 100_000;

/// The result of [`lower`].
pub(crate) struct Lowered<'s> {
    pub plan: Plan,
    pub checks: Vec<(&'s Check, NodeId)>,
    /// Base names and definitions that are not functions; if a name has several, the last one first.
    pub definitions: Vec<(&'s str, NodeId)>,
}

pub(crate) fn lower(statements: &[Statement]) -> Result<Lowered<'_>, Fault> {
    let mut lowering = Lowering::new();
    let mut checks = Vec::new();
    for statement in statements {
        match statement {
            Statement::Let { is_recursive: false, bindings } => lowering.definitions(bindings)?,
            Statement::Let { is_recursive: true, bindings } => lowering.recursion(bindings)?,
            Statement::Check(check) => checks.push((check, lowering.check(check)?)),
            Statement::Include(file) => unreachable!("the loader has put `{}` in place", file.name),
        }
    }
    let definitions = lowering.scope.iter().rev().filter_map(|(name, meaning)| match meaning {
        Meaning::Value(node) => Some((*name, *node)),
        Meaning::Function { .. } => None,
    });
    Ok(Lowered { definitions: definitions.collect(), plan: lowering.plan, checks })
}

/// The built-in functions. A model may hide them.
fn end_of(name: &str) -> Option<fn(NodeId) -> Op> {
    match name {
        "domain" => Some(Op::Domain),
        "range" => Some(Op::Range),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Meaning<'s> {
    Value(NodeId),
    /// `n_visible`: how much of the scope existed at the definition of the function.
    Function {
        parameters: &'s [Identifier],
        body: &'s Expr,
        n_visible: usize,
    },
}

/// The context of an expression: the visible scope, and the arguments of the enclosing function.
#[derive(Clone, Copy)]
struct Context<'c, 's> {
    n_visible: usize,
    arguments: &'c [(&'s str, NodeId)],
}

struct Lowering<'s> {
    plan: Plan,
    /// Innermost definition last.
    scope: Vec<(&'s str, Meaning<'s>)>,
    /// The `let rec` being lowered.
    open_group: Option<u32>,
    expanded: usize,
    depth: usize,
}

impl<'s> Lowering<'s> {
    /// The scope starts with the base names, which a model may hide like any other.
    fn new() -> Self {
        let mut plan = Plan::default();
        let mut scope = Vec::new();
        let sets = BaseSet::ALL.iter().map(|&set| (set.name(), Op::BaseSet(set)));
        let relations =
            BaseRelation::ALL.iter().map(|&relation| (relation.name(), Op::BaseRelation(relation)));
        for (name, op) in sets.chain(relations) {
            scope.push((name, Meaning::Value(plan.intern(op, None, || name.to_string()))));
        }
        let universe = plan.intern(Op::Universe, None, || "_".to_string());
        let identity = plan.intern(Op::Identity(universe), None, || "id".to_string());
        scope.push(("id", Meaning::Value(identity)));
        Lowering { plan, scope, open_group: None, expanded: 0, depth: 0 }
    }

    fn top_level(&self) -> Context<'s, 's> {
        Context { n_visible: self.scope.len(), arguments: &[] }
    }

    /// `let … and …`: all bodies see the scope before the statement.
    fn definitions(&mut self, bindings: &'s [Binding]) -> Result<(), Fault> {
        let mut defined = Vec::new();
        for Binding { name, parameters, body } in bindings {
            let meaning = match parameters {
                Some(parameters) => self.function(parameters, body)?,
                None => {
                    let node = self.expr(body, self.top_level())?;
                    self.plan.name(node, &name.name);
                    Meaning::Value(node)
                }
            };
            defined.push((name.name.as_str(), meaning));
        }
        self.scope.extend(defined);
        Ok(())
    }

    fn function(&self, parameters: &'s [Identifier], body: &'s Expr) -> Result<Meaning<'s>, Fault> {
        for (i, parameter) in parameters.iter().enumerate() {
            if parameters[..i].contains(parameter) {
                return Fault::err(parameter.span, format!("parameter `{}` is given twice", parameter.name));
            }
        }
        self.check_names(body, parameters)?;
        Ok(Meaning::Function { parameters, body, n_visible: self.scope.len() })
    }

    /// A function that is never applied is never expanded, but its names must exist.
    fn check_names(&self, expr: &Expr, parameters: &[Identifier]) -> Result<(), Fault> {
        match &expr.kind {
            ExprKind::Name(name) if parameters.iter().any(|parameter| parameter.name == *name) => Ok(()),
            ExprKind::Name(name) => match self.find(name, self.scope.len()) {
                Some(_) => Ok(()),
                None => self.unknown_name(name, expr.span),
            },
            ExprKind::Apply(name, arguments) => {
                if self.find(name, self.scope.len()).is_none() && end_of(name).is_none() {
                    return self.unknown_name(name, expr.span);
                }
                arguments.iter().try_for_each(|argument| self.check_names(argument, parameters))
            }
            ExprKind::Identity(inner) | ExprKind::Complement(inner) | ExprKind::Postfix(inner, _) => {
                self.check_names(inner, parameters)
            }
            ExprKind::Binary(_, left, right) => {
                self.check_names(left, parameters)?;
                self.check_names(right, parameters)
            }
            ExprKind::Universe | ExprKind::EmptyRelation | ExprKind::EmptySet => Ok(()),
        }
    }

    /// `let rec … and …`: the bodies see the variables.
    fn recursion(&mut self, bindings: &'s [Binding]) -> Result<(), Fault> {
        let group = self.plan.groups.len() as u32;
        self.plan.groups.push(Group::default());
        self.open_group = Some(group);
        for (index, Binding { name, parameters, .. }) in bindings.iter().enumerate() {
            if parameters.is_some() {
                return Fault::err(name.span, "functions cannot be recursive");
            }
            let variable = Op::Variable { group, index: index as u32 };
            let variable = self.plan.intern(variable, self.open_group, || name.name.clone());
            self.plan.name(variable, &name.name);
            self.plan.groups[group as usize].variables.push(variable);
            self.scope.push((&name.name, Meaning::Value(variable)));
        }
        let mut bodies = Vec::new();
        for Binding { body, .. } in bindings {
            bodies.push(self.expr_of_sort(body, Sort::Relation, self.top_level())?);
        }
        self.plan.close_group(group, bodies);
        self.open_group = None;
        Ok(())
    }

    fn check(&mut self, check: &'s Check) -> Result<NodeId, Fault> {
        match check.kind {
            CheckKind::Empty => self.expr(&check.body, self.top_level()),
            CheckKind::Acyclic | CheckKind::Irreflexive => {
                self.expr_of_sort(&check.body, Sort::Relation, self.top_level())
            }
        }
    }

    fn expr(&mut self, expr: &'s Expr, context: Context<'_, 's>) -> Result<NodeId, Fault> {
        self.expanded += 1;
        if self.expanded > MAX_EXPANSION || self.depth > MAX_HEIGHT {
            return Fault::err(expr.span, "the model is too large once its functions are expanded");
        }
        self.depth += 1;
        let node = self.expr_unbounded(expr, context);
        self.depth -= 1;
        node
    }

    fn expr_unbounded(&mut self, expr: &'s Expr, context: Context<'_, 's>) -> Result<NodeId, Fault> {
        let op = match &expr.kind {
            ExprKind::Name(name) => return self.name(name, expr.span, context),
            ExprKind::Apply(name, arguments) => return self.apply(name, arguments, expr.span, context),
            ExprKind::Universe => Op::Universe,
            ExprKind::EmptyRelation => Op::EmptyRelation,
            ExprKind::EmptySet => Op::EmptySet,
            ExprKind::Identity(set) => Op::Identity(self.expr_of_sort(set, Sort::Set, context)?),
            ExprKind::Complement(inner) => {
                let operand = self.expr(inner, context)?;
                self.refuse_recursion(operand, inner.span, "under `~`")?;
                Op::Complement(operand)
            }
            ExprKind::Postfix(inner, op) => {
                let operand = self.expr_of_sort(inner, Sort::Relation, context)?;
                match op {
                    PostfixOp::Inverse => Op::Inverse(operand),
                    PostfixOp::Closure => Op::Closure(operand),
                    PostfixOp::StarClosure => Op::StarClosure(operand),
                    PostfixOp::Optional => Op::Optional(operand),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, context)?,
        };
        Ok(self.plan.intern(op, self.open_group, || expr.to_string()))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &'s Expr,
        right: &'s Expr,
        context: Context<'_, 's>,
    ) -> Result<Op, Fault> {
        let required = match op {
            BinaryOp::Product => Some(Sort::Set),
            BinaryOp::Compose => Some(Sort::Relation),
            BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference => None,
        };
        let a = match required {
            Some(sort) => self.expr_of_sort(left, sort, context)?,
            None => self.expr(left, context)?,
        };
        let b = self.expr_of_sort(right, required.unwrap_or(self.plan.node(a).sort), context)?;
        Ok(match op {
            BinaryOp::Product => Op::Product(a, b),
            BinaryOp::Compose => Op::Compose(a, b),
            BinaryOp::Union => Op::Union(a, b),
            BinaryOp::Intersection => Op::Intersection(a, b),
            BinaryOp::Difference => {
                self.refuse_recursion(b, right.span, "to the right of `\\`")?;
                Op::Difference(a, b)
            }
        })
    }

    fn refuse_recursion(&self, operand: NodeId, span: Span, position: &str) -> Result<(), Fault> {
        match self.plan.node(operand).group {
            Some(group) if Some(group) == self.open_group => {
                Fault::err(span, format!("recursion {position} is not monotone, so it has no least fixpoint"))
            }
            _ => Ok(()),
        }
    }

    fn expr_of_sort(
        &mut self,
        expr: &'s Expr,
        sort: Sort,
        context: Context<'_, 's>,
    ) -> Result<NodeId, Fault> {
        let node = self.expr(expr, context)?;
        match (sort, self.plan.node(node).sort) {
            (Sort::Set, Sort::Relation) => {
                Fault::err(expr.span, format!("expected a set, but `{expr}` is a relation"))
            }
            (Sort::Relation, Sort::Set) => Fault::err(
                expr.span,
                format!("expected a relation, but `{expr}` is a set (its identity relation is `[{expr}]`)"),
            ),
            _ => Ok(node),
        }
    }

    fn name(&mut self, name: &str, span: Span, context: Context<'_, 's>) -> Result<NodeId, Fault> {
        if let Some((_, node)) = context.arguments.iter().find(|(parameter, _)| *parameter == name) {
            return Ok(*node);
        }
        match self.find(name, context.n_visible) {
            Some(Meaning::Value(node)) => Ok(node),
            Some(Meaning::Function { .. }) => {
                Fault::err(span, format!("`{name}` is a function; expected its arguments"))
            }
            None if end_of(name).is_some() => {
                Fault::err(span, format!("`{name}` is a function; expected its argument"))
            }
            None => self.unknown_name(name, span),
        }
    }

    fn apply(
        &mut self,
        name: &str,
        arguments: &'s [Expr],
        span: Span,
        context: Context<'_, 's>,
    ) -> Result<NodeId, Fault> {
        let is_parameter = context.arguments.iter().any(|(parameter, _)| *parameter == name);
        let (parameters, body, n_visible) = match self.find(name, context.n_visible) {
            Some(Meaning::Function { parameters, body, n_visible }) if !is_parameter => {
                (parameters, body, n_visible)
            }
            None if !is_parameter => match end_of(name) {
                Some(end) => return self.end(end, arguments, span, context),
                None => return self.unknown_name(name, span),
            },
            _ => {
                return Fault::err(
                    span,
                    format!("`{name}` is not a function; expected an operator after it"),
                );
            }
        };
        if parameters.len() != arguments.len() {
            let message = format!("`{name}` takes {} argument(s), not {}", parameters.len(), arguments.len());
            return Fault::err(span, message);
        }
        let mut bound = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            bound.push((parameter.name.as_str(), self.expr(argument, context)?));
        }
        self.expr(body, Context { n_visible, arguments: &bound })
    }

    /// `domain(r)` or `range(r)`.
    fn end(
        &mut self,
        end: fn(NodeId) -> Op,
        arguments: &'s [Expr],
        span: Span,
        context: Context<'_, 's>,
    ) -> Result<NodeId, Fault> {
        let [argument] = arguments else {
            return Fault::err(span, "`domain` and `range` take one argument: a relation");
        };
        let relation = self.expr_of_sort(argument, Sort::Relation, context)?;
        let op = end(relation);
        let name = if matches!(op, Op::Domain(_)) { "domain" } else { "range" };
        Ok(self.plan.intern(op, self.open_group, || format!("{name}({argument})")))
    }

    fn find(&self, name: &str, n_visible: usize) -> Option<Meaning<'s>> {
        let defined = self.scope[..n_visible].iter().rev().find(|(defined, _)| *defined == name);
        defined.map(|(_, meaning)| *meaning)
    }

    fn unknown_name<T>(&self, name: &str, span: Span) -> Result<T, Fault> {
        let span = Span { end: span.start + name.len() as u32, ..span };
        // The usual slips are letter case and `po_loc` or `poloc` for `po-loc`.
        let plain = |name: &str| name.replace(['-', '_', '.'], "").to_lowercase();
        let mut known = self.scope.iter().map(|(defined, _)| *defined);
        match known.find(|known| plain(known) == plain(name)) {
            Some(known) => Fault::err(span, format!("unknown name `{name}`; did you mean `{known}`?")),
            None => {
                Fault::err(span, format!("unknown name `{name}`; expected a base name or an earlier `let`"))
            }
        }
    }
}
