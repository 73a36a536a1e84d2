//! A table for the terminal: what a set's runs come to, what failed, and sets against the first.

use std::io::{Result, Write};

use comfy_table::{CellAlignment, presets};

use super::section::{self, words};
use super::{SetFormat, SetReport, contrasts};
use crate::error::printable;
use crate::report::document::Sheet;

pub struct Table;

impl SetFormat for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()> {
        for (at, report) in reports.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", printable(&words::title(report), &[]))?;
            for line in words::lead(report) {
                writeln!(out, "{}", printable(&line, &[]))?;
            }
            write(&section::result(report), out)?;
            let broken = section::broken(report);
            if !broken.rows.is_empty() {
                writeln!(out, "\nnot in any number above:")?;
                write(&broken, out)?;
            }
            for warning in &report.warnings {
                writeln!(out, "warning: {}", printable(warning, &[]))?;
            }
        }
        let contrasts = contrasts(reports);
        if !contrasts.is_empty() {
            writeln!(out, "\nagainst set {}, measured apart from each other:", reports[0].set.id)?;
            write(&section::contrast(reports, &contrasts), out)?;
        }
        Ok(())
    }
}

fn write(sheet: &Sheet, out: &mut dyn Write) -> Result<()> {
    let mut table = comfy_table::Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(sheet.columns.iter().map(|column| printable(&column.name, &[])));
    for row in &sheet.rows {
        table.add_row(row.iter().map(|cell| printable(cell, &[])));
    }
    for (at, column) in sheet.columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(at).filter(|_| column.number) {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())
}
