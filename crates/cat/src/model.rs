//! Memory models: the public interface of the crate.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fmt, fs, io};

use crate::ast::CheckKind;
use crate::eval::Evaluation;
use crate::explain::{Edge, explain_cycle};
use crate::loader::{self, BUILTIN_MODELS, Resolver, builtin_source};
use crate::lower::{Lowered, lower};
use crate::plan::{EvalStep, NodeId, Op, Plan, Sort};
use crate::relation::Relation;
use crate::structure::Structure;
use crate::vocabulary::{BaseRelation, BaseSet};
use atropos_event::{Diagnostic, Text};

/// A parsed, resolved and type-checked cat model.
#[derive(Debug)]
pub struct Model {
    /// The requested name: `tso` for a built-in model, else the file name.
    pub name: String,
    /// The title at the top of the file.
    pub title: Option<String>,
    plan: Plan,
    axioms: Vec<Axiom>,
    definitions: Vec<(String, NodeId)>,
    base_sets: Vec<BaseSet>,
    base_relations: Vec<BaseRelation>,
}

/// One check of a model.
#[derive(Debug)]
pub struct Axiom {
    /// The name after `as`, or the text of the check.
    pub name: String,
    /// Whether the model names the check.
    pub is_named: bool,
    pub kind: CheckKind,
    /// Whether the check is negated, as in `~acyclic`.
    pub is_negated: bool,
    /// Whether the check is a flag, which is reported if it holds ([`Model::flags`]) and does not affect consistency.
    pub is_flag: bool,
    /// The expression in cat.
    pub text: String,
    node: NodeId,
    /// The steps to compute it, after those of the axioms before it.
    steps: Vec<EvalStep>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Consistency {
    Consistent,
    Violated(BrokenAxiom),
}

/// The first failing axiom in the order of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenAxiom {
    pub axiom: String,
    pub kind: CheckKind,
    pub witness: Witness,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// For `acyclic` and `irreflexive`: each edge starts where the previous one ends, the first where the last ends.
    Cycle(Vec<Edge>),
    /// For `empty` of a relation: all its pairs.
    Pairs(Vec<(usize, usize)>),
    /// For `empty` of a set: all its members.
    Events(Vec<usize>),
    /// For a negated check, which fails because something is absent.
    Nothing,
}

impl Model {
    /// A model of [`BUILTIN_MODELS`].
    pub fn builtin(name: &str) -> Option<Model> {
        let name = BUILTIN_MODELS.iter().find(|builtin| **builtin == name)?;
        let source = builtin_source(&format!("{name}.cat"))?;
        let model = Model::from_source(name, source, &|_, _| Ok(None));
        Some(model.unwrap_or_else(|error| panic!("built-in model {name}: {error}")))
    }

    /// What all models of [`BUILTIN_MODELS`] but wrc11 demand, and nothing else.
    pub fn weakest() -> Model {
        let source = builtin_source("relaxed.cat").expect("the file is built in");
        let model = Model::from_source("relaxed", source, &|_, _| Ok(None));
        model.unwrap_or_else(|error| panic!("built-in model relaxed: {error}"))
    }

    /// Reads a model from a file. Includes are looked up beside the including file, then among the built-in models.
    pub fn load(path: &Path) -> Result<Model, Diagnostic> {
        let text = fs::read_to_string(path).map_err(|error| {
            Diagnostic::about_file(&path.display().to_string(), format!("cannot be read: {error}"))
        })?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Model::from_source(&name, Text { name: path.display().to_string(), text }, &beside)
    }

    pub fn parse(name: &str, text: &str, resolver: &Resolver<'_>) -> Result<Model, Diagnostic> {
        Model::from_source(name, Text { name: name.to_string(), text: text.to_string() }, resolver)
    }

    fn from_source(name: &str, source: Text, resolver: &Resolver<'_>) -> Result<Model, Diagnostic> {
        let loaded = loader::load(source, resolver)?;
        let Lowered { plan, checks, definitions } =
            lower(&loaded.statements).map_err(|fault| loaded.sources.error(fault))?;
        let mut done = BTreeSet::new();
        let mut axioms = Vec::new();
        for (check, node) in checks {
            let text = check.body.to_string();
            let negation = if check.is_negated { "~" } else { "" };
            axioms.push(Axiom {
                name: check.name.clone().unwrap_or_else(|| format!("{negation}{} {text}", check.kind)),
                is_named: check.name.is_some(),
                kind: check.kind,
                is_negated: check.is_negated,
                is_flag: check.is_flag,
                text,
                node,
                steps: plan.schedule(node, &mut done),
            });
        }
        let definitions = definitions.into_iter().map(|(name, node)| (name.to_string(), node)).collect();
        let (base_sets, base_relations) = base_names_of(&plan, &done);
        Ok(Model {
            name: name.to_string(),
            title: loaded.title,
            plan,
            axioms,
            definitions,
            base_sets,
            base_relations,
        })
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The checks in the order of the model, which is the order of evaluation.
    pub fn axioms(&self) -> &[Axiom] {
        &self.axioms
    }

    /// The base names that the axioms depend on.
    pub fn base_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let sets = self.base_sets.iter().map(|set| set.name());
        sets.chain(self.base_relations.iter().map(|relation| relation.name()))
    }

    /// Whether the structure satisfies every axiom, with a witness if not.
    pub fn check(&self, structure: &Structure) -> Result<Consistency, Diagnostic> {
        self.find_violated(structure, |axiom, evaluation| axiom.violation(evaluation))
            .map(|violation| violation.map_or(Consistency::Consistent, Consistency::Violated))
    }

    /// [`Model::check`] without the witness.
    pub fn is_consistent(&self, structure: &Structure) -> Result<bool, Diagnostic> {
        self.find_violated(structure, |_, _| ()).map(|violation| violation.is_none())
    }

    /// The names of the flags that a consistent structure raises; nothing if the structure violates an axiom.
    pub fn flags_if_consistent(&self, structure: &Structure) -> Result<Option<Vec<&str>>, Diagnostic> {
        self.require(structure, &self.base_sets, &self.base_relations)?;
        let mut evaluation = Evaluation::new(&self.plan, structure);
        let mut flags = Vec::new();
        for axiom in &self.axioms {
            evaluation.run(&axiom.steps);
            match (axiom.is_flag, axiom.holds(&evaluation)) {
                (true, true) => flags.push(axiom.name.as_str()),
                (false, false) => return Ok(None),
                (true, false) | (false, true) => {}
            }
        }
        Ok(Some(flags))
    }

    /// The flags that the structure raises, each with a witness.
    pub fn raised(&self, structure: &Structure) -> Result<Vec<(&Axiom, Witness)>, Diagnostic> {
        self.require(structure, &self.base_sets, &self.base_relations)?;
        let mut evaluation = Evaluation::new(&self.plan, structure);
        let mut raised = Vec::new();
        for axiom in &self.axioms {
            evaluation.run(&axiom.steps);
            if axiom.is_flag && axiom.holds(&evaluation) {
                // The witness of a negated check is what makes the check itself fail.
                let witness = match axiom.is_negated {
                    true => axiom.witness(&evaluation),
                    false => Witness::Nothing,
                };
                raised.push((axiom, witness));
            }
        }
        Ok(raised)
    }

    /// The names of the flags that the structure raises.
    pub fn flags(&self, structure: &Structure) -> Result<Vec<&str>, Diagnostic> {
        Ok(self.raised(structure)?.into_iter().map(|(flag, _)| flag.name.as_str()).collect())
    }

    /// The relation with that name: a base name, or a definition of the model or of the prelude.
    pub fn eval(&self, structure: &Structure, name: &str) -> Result<Relation, Diagnostic> {
        let defined = self.definitions.iter().find(|(defined, _)| defined == name).map(|(_, node)| *node);
        let Some(node) = defined.filter(|&node| self.plan.node(node).sort == Sort::Relation) else {
            return Err(Diagnostic::error(format!("model {} has no relation `{name}`", self.name)));
        };
        let mut done = BTreeSet::new();
        let steps = self.plan.schedule(node, &mut done);
        let (sets, relations) = base_names_of(&self.plan, &done);
        self.require(structure, &sets, &relations)?;
        let mut evaluation = Evaluation::new(&self.plan, structure);
        evaluation.run(&steps);
        Ok(evaluation.relation(node).to_owned())
    }

    fn find_violated<T>(
        &self,
        structure: &Structure,
        report: impl Fn(&Axiom, &Evaluation<'_>) -> T,
    ) -> Result<Option<T>, Diagnostic> {
        self.require(structure, &self.base_sets, &self.base_relations)?;
        let mut evaluation = Evaluation::new(&self.plan, structure);
        // Flags between axioms that share their steps cannot be skipped, but those after the last axiom can.
        let n_axioms = self.axioms.iter().rposition(|axiom| !axiom.is_flag).map_or(0, |last| last + 1);
        for axiom in &self.axioms[..n_axioms] {
            evaluation.run(&axiom.steps);
            if !axiom.is_flag && !axiom.holds(&evaluation) {
                return Ok(Some(report(axiom, &evaluation)));
            }
        }
        Ok(None)
    }

    fn require(
        &self,
        structure: &Structure,
        sets: &[BaseSet],
        relations: &[BaseRelation],
    ) -> Result<(), Diagnostic> {
        let set = sets.iter().find(|&&set| structure.get_set(set).is_none()).map(|set| set.name());
        let relation = || relations.iter().find(|&&base| structure.get_relation(base).is_none());
        match set.or_else(|| relation().map(|relation| relation.name())) {
            Some(name) => {
                Err(Diagnostic::error(format!("model {} needs `{name}`, which was not given", self.name)))
            }
            None => Ok(()),
        }
    }
}

/// The check as a statement of cat.
impl fmt::Display for Axiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Axiom { name, kind, text, .. } = self;
        let flag = if self.is_flag { "flag " } else { "" };
        let negation = if self.is_negated { "~" } else { "" };
        write!(f, "{flag}{negation}{kind} {text}")?;
        if self.is_named { write!(f, " as {name}") } else { Ok(()) }
    }
}

impl Axiom {
    pub(crate) fn node(&self) -> NodeId {
        self.node
    }

    fn holds(&self, evaluation: &Evaluation<'_>) -> bool {
        let holds = match self.kind {
            CheckKind::Acyclic => evaluation.relation(self.node).is_acyclic(),
            CheckKind::Irreflexive => evaluation.relation(self.node).is_irreflexive(),
            CheckKind::Empty => match evaluation.plan.node(self.node).sort {
                Sort::Relation => evaluation.relation(self.node).is_empty(),
                Sort::Set => evaluation.set(self.node).is_empty(),
            },
        };
        holds != self.is_negated
    }

    fn violation(&self, evaluation: &Evaluation<'_>) -> BrokenAxiom {
        let witness = if self.is_negated { Witness::Nothing } else { self.witness(evaluation) };
        BrokenAxiom { axiom: self.name.clone(), kind: self.kind, witness }
    }

    /// The cycle, pairs or events that the check, without its negation, excludes.
    fn witness(&self, evaluation: &Evaluation<'_>) -> Witness {
        let cycle = |events: Option<Vec<usize>>| {
            Witness::Cycle(explain_cycle(evaluation, self.node, &events.expect("the axiom fails")))
        };
        match self.kind {
            CheckKind::Acyclic => cycle(evaluation.relation(self.node).find_cycle()),
            CheckKind::Irreflexive => cycle(evaluation.relation(self.node).find_reflexive().map(|e| vec![e])),
            CheckKind::Empty => match evaluation.plan.node(self.node).sort {
                Sort::Relation => Witness::Pairs(evaluation.relation(self.node).pairs().collect()),
                Sort::Set => Witness::Events(evaluation.set(self.node).iter().collect()),
            },
        }
    }
}

fn base_names_of(plan: &Plan, nodes: &BTreeSet<NodeId>) -> (Vec<BaseSet>, Vec<BaseRelation>) {
    let (mut sets, mut relations) = (Vec::new(), Vec::new());
    for &node in nodes {
        match plan.node(node).op {
            Op::BaseSet(set) => sets.push(set),
            Op::BaseRelation(relation) => relations.push(relation),
            _ => {}
        }
    }
    (sets, relations)
}

/// The resolver of [`Model::load`]: a file in the folder of the including one.
fn beside(including: &str, wanted: &str) -> io::Result<Option<Text>> {
    let path = Path::new(including).with_file_name(wanted);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(Text { name: path.display().to_string(), text })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
