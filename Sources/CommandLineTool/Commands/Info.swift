import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a store is and holds.",
    discussion: """
      Opens the store for reading only.

      Example: tandem info phone/group.example/shop.store
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let report = try StoreReport(try store.openForReading())
    if output.json {
      try Console.standard.print(report.json)
    } else {
      for line in InfoText(report: report, terminal: .current).lines { try Console.standard.print(line) }
    }
  }
}

/// A report as a person reads it.
struct InfoText {
  let report: StoreReport
  let terminal: Terminal

  var lines: [String] {
    var lines = facts
    lines.append("")
    lines += entityTable.lines(for: terminal)
    lines += report.entities.flatMap { ["", terminal.styled($0.name, .bold)] + fieldLines(of: $0) }
    if !report.vector.entries.isEmpty {
      lines += ["", terminal.styled("Seen of each replica", .bold)]
      lines += report.vector.entries.sorted { $0.key < $1.key }.map { replica, entry in
        "  \(replica)  \(DisplayText.count(Int(entry.sequence), "transaction"))"
          + (replica == report.replica ? "  (this store)" : "")
      }
    }
    return lines
  }

  private var facts: [String] {
    let statistics = report.statistics
    return [
      "store          \(DisplayText.visible(report.url.path))",
      "store id       \(report.storeID)",
      "replica        \(report.replica)",
      "format         \(statistics.formatVersion), schema \(report.schemaVersion)",
      "size           \(DisplayText.byteCount(statistics.fileBytes))",
      "transactions   \(report.lastTransactionNumber)",
      "open readers   \(report.readers.count)",
    ] + report.readers.map { "reading        \(DisplayText.visible($0.description))" }
      + (report.onceKeyCount == 0 ? [] : ["once keys      \(report.onceKeyCount)"])
  }

  private var entityTable: TextTable {
    var table = TextTable([
      .init("entity"), .init("records", .right), .init("fields", .right), .init("indexes", .right),
    ])
    table.rows = report.entities.map { entity in
      [
        entity.name + (entity.isDeclared ? "" : " (from another device)"), String(entity.recordCount),
        String(entity.fields.count), String(entity.indexes.count),
      ]
    }
    return table
  }

  private func fieldLines(of entity: StoreReport.Entity) -> [String] {
    let fields = entity.fields.filter { !$0.name.hasPrefix("~") }.map { field in
      let type = field.destination.map { "reference to \($0)" } ?? "\(field.type)"
      return "  \(field.name): \(type)\(field.isOptional ? ", optional" : "")"
    }
    let toMany = entity.relationships.filter(\.isToMany).map { relationship in
      "  \(relationship.name): many \(relationship.destination), \(relationship.deleteRule.rawValue) on delete"
    }
    let indexes = entity.indexes.map { index in
      "  \(index.isUnique ? "unique" : "index") (\(index.components.joined(separator: ", ")))"
    }
    return fields + toMany + indexes
  }
}
