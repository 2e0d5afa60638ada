//! Only the dependency matters.
