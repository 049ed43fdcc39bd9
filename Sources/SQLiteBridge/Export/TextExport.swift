public import Foundation
public import RecordStore
import StoreInspection

/// Writes a store's records as text for other programs: CSV, one file for each entity, or JSON Lines.
public enum TextExport {
  /// Makes a folder with one file `<entity>.csv` for each declared entity; `@id` is its first column.
  ///
  /// One snapshot. The folder gets its name when it is whole. If anything throws, nothing is left.
  /// - Throws: ``BridgeError``, and `StoreError` for a damaged store.
  public static func writeCSV(
    _ store: RecordStore, toFolder url: URL, progress: @escaping (Int) -> Void = { _ in }
  ) throws -> ExportReport {
    try writeCSV(store, PartialFile(url, replacing: false), progress: progress)
  }

  /// Writes one object a line, as `tandem query --json` prints and `tandem load --into` takes it.
  ///
  /// One snapshot. The file gets its name when it is whole. If anything throws, nothing is left.
  /// - Throws: ``BridgeError``, and `StoreError` for a damaged store.
  public static func writeJSONLines(
    _ store: RecordStore, to url: URL, replacing: Bool = false, progress: @escaping (Int) -> Void = { _ in }
  ) throws -> ExportReport {
    try writeJSONLines(store, PartialFile(url, replacing: replacing), progress: progress)
  }

  package static func writeCSV(
    _ store: RecordStore, _ folder: PartialFile, progress: @escaping (Int) -> Void
  ) throws -> ExportReport {
    try folder.writeFolder { url in
      try export(store, progress: progress) { entity, columns, names in
        let name = names.name(entity.name.replacing(scalar: "/", with: "_")) + ".csv"
        let file = try TextFile(making: url.appendingPathComponent(name))
        let writer = CSVWriter()
        try file.write(line: writer.row([RecordLine.idMember] + columns.map(\.name)))
        return (
          name, file,
          { id, values in writer.row([id.description] + zip(columns, values).map { $0.csvText(of: $1) }) }
        )
      }
    }
  }

  package static func writeJSONLines(
    _ store: RecordStore, _ file: PartialFile, progress: @escaping (Int) -> Void
  ) throws -> ExportReport {
    try file.write { url in
      let lines = try TextFile(filling: url)
      let report = try export(store, progress: progress) { entity, columns, _ in
        let names = columns.map(\.name)
        return (
          file.target.lastPathComponent, lines,
          { id, values in
            let members: [JSON.Member] = [
              .init(RecordLine.entityMember, .string(entity.name)), .init(RecordLine.idMember, .string(id.description)),
            ]
            return JSON.object(members + zip(names, values).map { .init($0, $1) }).description
          }
        )
      }
      try lines.flush()
      return report
    }
  }

  private typealias Line = (RecordID, [JSON]) -> String
  private typealias Opening =
    (CatalogueEntity, [TextColumn], inout NameRegister) throws -> (name: String, file: TextFile, line: Line)

  private static func export(
    _ store: RecordStore, progress: @escaping (Int) -> Void, opening open: Opening
  ) throws -> ExportReport {
    try store.read { snapshot in
      var report = ExportReport(notes: try ExportNotes(snapshot).all)
      var names = NameRegister()
      var count = 0
      for entity in snapshot.catalogue.entities where entity.isDeclared && !entity.isJoin {
        let columns = TextColumn.all(of: entity, in: snapshot.catalogue)
        let (name, file, line) = try open(entity, columns, &names)
        var part = ExportReport.Part(name: entity.name, target: name, rowCount: 0)
        let query = RecordQuery(entity: entity.number, includesSubentities: false)
        try snapshot.forEachBatch(query, of: 1000) { records in
          for record in records {
            try file.write(line: line(record.id, try columns.map { try $0.json(of: record, in: snapshot) }))
          }
          part.rowCount += records.count
          count += records.count
          progress(count)
          return true
        }
        try file.flush()
        report.parts.append(part)
      }
      return report
    }
  }
}
