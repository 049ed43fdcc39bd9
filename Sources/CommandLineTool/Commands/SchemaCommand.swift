import ArgumentParser
import Foundation
import RecordStore
import StoreInspection
import Tandem

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Show the schema of a store: text, JSON, a diagram, or the Swift source of its models.",
    discussion: """
      Opens the store for reading only. --svg draws classes and relationships, light
      or dark as the viewer is. --swift writes models that open the store; Codable
      values stand as their JSON, because the store does not know their types.

      Example: tandem schema shop.store --swift > Models.swift
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: "Draw a diagram.")
  var svg = false
  @Flag(help: "Write the Swift source of models.")
  var swift = false
  @OptionGroup var paging: PagingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if [svg, swift, output.json].count(where: { $0 }) > 1 {
      throw ValidationError("--json, --svg and --swift exclude each other")
    }
  }

  func run() throws {
    let outline = try SchemaOutline(ofAppAt: store.openForReading())
    if output.json {
      try Console.standard.print(outline.json)
    } else if svg {
      for line in SchemaDiagram(outline).lines { try Console.standard.print(line) }
    } else if swift {
      for line in try ModelSource(outline).lines { try Console.standard.print(line) }
    } else {
      try Pager(paging).show(SchemaText(outline: outline, terminal: .current).lines)
    }
  }
}

extension SchemaOutline {
  /// The schema as an app declares it. The library keeps a class of its own for keys and values.
  init(ofAppAt store: RecordStore) throws {
    self = try store.read { SchemaOutline($0.catalogue) }
    classes.removeAll { $0.name == KeyValueName.entityName }
  }
}
