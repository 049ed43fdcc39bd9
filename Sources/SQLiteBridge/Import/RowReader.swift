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
  private var keys: ForeignKeys
  private var dangling: [String: Int] = [:]
  private var lists: [OwnedList: [ListPlace]] = [:]
  private var byteCount = 0

  /// The ordered list of an owner.
  private struct OwnedList: Hashable {
    let owner: RecordID
    let entity: EntityNumber
    let ordinal: Int
  }

  /// The place of a row in an ordered list, and its value for the position.
  private struct ListPlace {
    let number: Int64
    let record: Int
    let value: Int
  }

  init(
    _ connection: SQLiteConnection, _ source: ImportSource, _ match: ImportMatch, blobs: ExternalBlobs,
    progress: @escaping (Int) -> Void
  ) throws {
    (self.connection, self.source, self.match) = (connection, source, match)
    (self.blobs, self.progress) = (blobs, progress)
    keys = ForeignKeys(connection, source)
    for table in source.tables { try findIDs(of: table) }
    for table in match.tables { try read(table) }
    for places in lists.values { order(places) }
    for name in dangling.keys.sorted() {
      notes.append("\(name): \(dangling[name] ?? 0) values refer to rows that the file does not have, taken as null")
    }
    for join in match.joins { try read(join) }
  }

  /// Rows of tables that no entity takes are not there for references either.
  private mutating func findIDs(of table: ImportSource.Table) throws {
    guard case .derived(let columns) = table.identity, match.tables.contains(where: { $0.source.name == table.name })
    else { return }
    let rows = try connection.prepare("SELECT \(SQLiteName.list(columns)) FROM \(from(table))")
    while try rows.step() {
      let key = try columns.indices.map { try rows.value(at: $0) }
      ids[table.name, default: []].insert(DerivedID.id(of: key, in: table.name, of: source.namespace))
    }
  }

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
      (key + table.columns.flatMap(\.source.names) + table.places.map(\.column)).map { SQLiteName.column($0) },
      of: table.source.name, where: table.source.filter, in: connection)
    let names =
      table.columns.map(\.field.name) + table.places.map(\.field.name) + (table.className == nil ? [] : [".class"])
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
      for (place, number) in zip(table.places, next...) {
        if case .reference(let owner) = values[place.owner], let number = try rows.value(at: number).number {
          lists[
            OwnedList(owner: owner, entity: table.entity.number, ordinal: place.field.ordinal), default: []
          ].append(ListPlace(number: number, record: records.count, value: values.count))
        }
        values.append(.null)
      }
      if let className = table.className { values.append(.string(className)) }
      places[id] = records.count
      records.append(TypedRecord(entity: table.entity.name, id: id, names: names, values: values, place: place))
      if records.count.isMultiple(of: 1000) { progress(records.count) }
    }
  }

  /// Gives the rows of one list their positions. Rows of one place follow each other as in the file.
  private mutating func order(_ places: [ListPlace]) {
    let sorted = places.sorted { ($0.number, $0.record) < ($1.number, $1.record) }
    for (place, key) in zip(sorted, OrderKey.evenly(sorted.count)) {
      records[place.record].values[place.value] = .string(key.text)
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
      guard !parts.contains(.null) else { return .null }
      let columns = ForeignKeys.Columns(table: table.source.name, names: column.source.names)
      if let id = try id(parts, of: columns, target, place) { return .reference(id) }
      dangling["\(columns.table).\(columns.names.joined(separator: ", "))", default: 0] += 1
      return .null
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
  private mutating func id(
    _ parts: [SQLiteValue], of columns: ForeignKeys.Columns, _ target: ImportSource.Target, _ place: InputPlace
  ) throws -> RecordID? {
    switch source.identity(of: target.table) {
    case .recordID(let column) where target.columns == [column]:
      guard case .text(let text) = parts[0], let id = RecordID(text) else {
        throw BridgeError(.wrongValue, "\(place) refers to a record by something that is no id: correct it in the file")
      }
      return id
    case .derived(let key):
      if key == target.columns {
        let id = DerivedID.id(of: parts, in: target.table, of: source.namespace)
        if ids[target.table]?.contains(id) == true { return id }
      }
      guard let id = try keys.lookUp(parts, of: columns, target, key: key) else { return nil }
      return ids[target.table]?.contains(id) == true ? id : nil
    case .recordID, nil: return nil
    }
  }

  private mutating func read(_ join: ImportMatch.Join) throws {
    let source = join.source
    let rows = try connection.prepare(
      "SELECT \(SQLiteName.list(source.columns + source.otherColumns)) FROM \(SQLiteName.quoted(source.table))")
    let near = ForeignKeys.Columns(table: source.table, names: source.columns)
    let far = ForeignKeys.Columns(table: source.table, names: source.otherColumns)
    var links: [RecordID: [RecordID]] = [:]
    var linked: [RecordID: Set<RecordID>] = [:]
    var (number, empty, dangling, repeated) = (0, 0, 0, 0)
    while try rows.step() {
      number += 1
      let place = InputPlace(row: number, of: source.table)
      let values = try (0..<rows.columnCount).map { try rows.value(at: $0) }
      guard !values.contains(.null) else {
        empty += 1
        continue
      }
      let parts = (Array(values.prefix(near.names.count)), Array(values.dropFirst(near.names.count)))
      guard let left = try id(parts.0, of: near, source.near, place), places[left] != nil,
        let right = try id(parts.1, of: far, source.far, place)
      else {
        dangling += 1
        continue
      }
      guard linked[left, default: []].insert(right).inserted else {
        repeated += 1
        continue
      }
      links[left, default: []].append(right)
    }
    for (count, kind) in [
      (empty, "with a null in a key, left out"), (dangling, "with a key of no row in the file, left out"),
      (repeated, "with the link of another row, taken once"),
    ] where count > 0 {
      notes.append("\(source.table): \(count) \(count == 1 ? "row" : "rows") \(kind)")
    }
    // A record without rows has no links: the file says all of them.
    for index in records.indices
    where records[index].place.table == source.near.table && records[index].entity == join.entity {
      records[index].links.append((join.relationship.name, links[records[index].id] ?? []))
    }
  }
}
