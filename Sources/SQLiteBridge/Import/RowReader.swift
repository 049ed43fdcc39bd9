import Foundation
import LMDB
import RecordStore
import StoreInspection

/// Reads the rows of a file as records for a store.
///
/// All are held in memory, because they are saved in one commit; ``maximumBytes`` bounds it.
struct RowReader {
  /// The bound of all values together.
  static let maximumBytes = 2 << 30

  private let connection: SQLiteConnection
  private let source: ImportSource
  private let match: ImportMatch
  private let blobs: ExternalBlobs
  private let progress: (Int) -> Void
  private(set) var records: [TypedRecord] = []
  private(set) var notes: [String] = []
  private var places: [RecordID: Int] = [:]
  private var ids: [String: Set<RecordID>] = [:]
  private var lookUps: [String: [[SQLiteValue]: RecordID]] = [:]
  private var dangling: [String: Int] = [:]
  private var byteCount = 0

  init(
    _ connection: SQLiteConnection, _ source: ImportSource, _ match: ImportMatch, blobs: ExternalBlobs,
    progress: @escaping (Int) -> Void
  ) throws {
    (self.connection, self.source, self.match) = (connection, source, match)
    (self.blobs, self.progress) = (blobs, progress)
    for table in source.tables { try findIDs(of: table) }
    for table in match.tables { try read(table) }
    for join in match.joins { try read(join) }
    for name in dangling.keys.sorted() {
      notes.append("\(name): \(dangling[name] ?? 0) values refer to rows that the file does not have, taken as null")
    }
  }

  /// Rows of tables that no entity takes are not there for references either.
  private mutating func findIDs(of table: ImportSource.Table) throws {
    guard case .derived(let columns) = table.identity, match.tables.contains(where: { $0.source.name == table.name })
    else { return }
    let rows = try connection.prepare("SELECT \(list(columns)) FROM \(from(table))")
    while try rows.step() {
      let key = try columns.indices.map { try rows.value(at: $0) }
      ids[table.name, default: []].insert(DerivedID.id(of: key, in: table.name, of: source.namespace))
    }
  }

  private func list(_ columns: [String]) -> String { columns.map { quoted($0) }.joined(separator: ", ") }

  /// The number of a row is a word, not a column.
  private func quoted(_ column: String) -> String { column == "rowid" ? "rowid" : SQLiteName.quoted(column) }

  private func from(_ table: ImportSource.Table) -> String {
    SQLiteName.quoted(table.name) + (table.filter.map { " WHERE \($0)" } ?? "")
  }

  private mutating func read(_ table: ImportMatch.Table) throws {
    let key: [String] =
      switch table.source.identity {
      case .recordID(let column): [column]
      case .derived(let columns): columns
      }
    let rows = try WideRows(
      (key + table.columns.flatMap(\.source.names)).map { quoted($0) }, of: table.source.name,
      where: table.source.filter, in: connection)
    let names = table.columns.map(\.field.name) + (table.className == nil ? [] : [".class"])
    var number = 0
    while try rows.step() {
      number += 1
      let place = InputPlace(row: number, of: table.source.name)
      let id = try id(of: table.source, key.indices.map { try rows.value(at: $0) }, place)
      var values: [FieldValue] = []
      values.reserveCapacity(names.count)
      var next = key.count
      for column in table.columns {
        let parts = try column.source.names.indices.map { try rows.value(at: next + $0) }
        next += parts.count
        values.append(try value(parts, column, of: table, place))
      }
      if let className = table.className { values.append(.string(className)) }
      places[id] = records.count
      records.append(TypedRecord(entity: table.entity.name, id: id, names: names, values: values, place: place))
      if records.count.isMultiple(of: 1000) { progress(records.count) }
    }
  }

  private func id(of table: ImportSource.Table, _ key: [SQLiteValue], _ place: InputPlace) throws -> RecordID {
    switch table.identity {
    case .derived: return DerivedID.id(of: key, in: table.name, of: source.namespace)
    case .recordID(let column):
      guard case .text(let text) = key[0], let id = RecordID(text) else {
        throw BridgeError(
          .wrongValue,
          "\(place) has a '\(column)' that is not 32 hexadecimal digits: give each row one of its own")
      }
      return id
    }
  }

  private mutating func value(
    _ parts: [SQLiteValue],
    _ column: (source: ImportSource.Column, field: CatalogueField, target: ImportSource.Target?),
    of table: ImportMatch.Table, _ place: InputPlace
  ) throws -> FieldValue {
    if let target = column.target {
      let name = "\(table.source.name).\(column.source.names.joined(separator: ", "))"
      return try reference(parts, target, name, place).map { .reference($0) } ?? .null
    }
    var value = parts[0]
    let isMarked =
      column.source.marks == .present || column.source.marks == .possible && column.field.isStoredExternally
    if isMarked, case .blob(let bytes) = value { value = .blob(try blobs.content(bytes, place)) }
    switch value {
    case .text(let text): byteCount += text.utf8.count
    case .blob(let bytes): byteCount += bytes.count
    case .null, .integer, .real: byteCount += 8
    }
    guard byteCount <= RowReader.maximumBytes else {
      throw BridgeError(.beyondLimits, "the file holds more than 2 GiB of values: import a part of it")
    }
    guard let read = source.reading.value(value, as: column.field.type) else {
      throw BridgeError(
        .wrongValue,
        "\(place) has a value in '\(column.source.names[0])' that is no \(column.field.type): correct it in the file")
    }
    return read
  }
}

// References.
extension RowReader {
  private mutating func reference(
    _ parts: [SQLiteValue], _ target: ImportSource.Target, _ name: String, _ place: InputPlace
  ) throws -> RecordID? {
    guard !parts.contains(.null) else { return nil }
    guard let id = try id(parts, target, place) else {
      dangling[name, default: 0] += 1
      return nil
    }
    return id
  }

  private mutating func id(
    _ parts: [SQLiteValue], _ target: ImportSource.Target, _ place: InputPlace
  ) throws -> RecordID? {
    switch source.identity(of: target.table) {
    case .recordID(let column) where target.columns == [column]:
      guard case .text(let text) = parts[0], let id = RecordID(text) else {
        throw BridgeError(.wrongValue, "\(place) refers to a record by something that is no id: correct it in the file")
      }
      return id
    case .derived(let columns) where columns == target.columns:
      let id = DerivedID.id(of: parts, in: target.table, of: source.namespace)
      return ids[target.table]?.contains(id) == true ? id : nil
    case .derived(let columns): return try lookUp(parts, target, key: columns)
    case .recordID, nil: return nil
    }
  }

  /// A foreign key that does not lead to the primary key.
  private mutating func lookUp(
    _ parts: [SQLiteValue], _ target: ImportSource.Target, key: [String]
  ) throws -> RecordID? {
    let name = ([target.table] + target.columns).joined(separator: "\0")
    if lookUps[name] == nil {
      var table: [[SQLiteValue]: RecordID] = [:]
      let rows = try connection.prepare(
        "SELECT \(list(target.columns + key)) FROM \(SQLiteName.quoted(target.table))")
      while try rows.step() {
        let values = try (0..<rows.columnCount).map { try rows.value(at: $0) }
        let id = DerivedID.id(
          of: Array(values.dropFirst(target.columns.count)), in: target.table, of: source.namespace)
        table[Array(values.prefix(target.columns.count))] = id
      }
      lookUps[name] = table
    }
    guard let id = lookUps[name]?[parts], ids[target.table]?.contains(id) == true else { return nil }
    return id
  }

  private mutating func read(_ join: ImportMatch.Join) throws {
    let source = join.source
    let rows = try connection.prepare(
      "SELECT \(list(source.columns + source.otherColumns)) FROM \(SQLiteName.quoted(source.table))")
    var links: [RecordID: [RecordID]] = [:]
    var number = 0
    while try rows.step() {
      number += 1
      let place = InputPlace(row: number, of: source.table)
      let values = try (0..<rows.columnCount).map { try rows.value(at: $0) }
      let (near, far) = (Array(values.prefix(source.columns.count)), Array(values.dropFirst(source.columns.count)))
      guard let left = try reference(near, source.near, source.table, place),
        let right = try reference(far, source.far, source.table, place)
      else { continue }
      guard places[left] != nil else {
        dangling[source.table, default: 0] += 1
        continue
      }
      links[left, default: []].append(right)
    }
    // A record without rows has no links: the file says all of them.
    for index in records.indices
    where records[index].place.table == source.near.table && records[index].entity == join.entity {
      records[index].links.append((join.relationship.name, links[records[index].id] ?? []))
    }
  }
}
