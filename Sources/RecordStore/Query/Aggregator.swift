package import LMDB

/// Takes records one after another and gives the groups at the end. Where a record comes from, the map or an object
/// with unsaved changes, is its caller's business.
package struct Aggregator {
  private let keyTypes: [FieldType]
  private let columns: [AggregateColumn]
  private var groups = GroupTable()
  private var keys: [[FieldValue]] = []
  private var encoder = KeyEncoder()
  /// Groups by what records have for their only key. Rows of these need neither a key's encoding nor its hash.
  private var shortKeys: [(field: ShortField, group: Int)] = []
  private static let shortKeyCount = 16

  /// `type` gives the type of the field at a path.
  package init(_ query: AggregateQuery, type: (FieldPath) throws -> FieldType) throws {
    keyTypes = try query.keys.map(type)
    columns = try query.functions.map { try AggregateColumn.column($0, of: try $0.path.map(type)) }
    // Without keys there is one group in any case.
    if keyTypes.isEmpty { _ = group { _ in nil } }
  }

  /// Adds a record. `bytes` gives the payload of an input, nil for null: the keys first, then one for each function.
  package mutating func add(_ bytes: (Int) throws -> RawBytes?) rethrows {
    let number = keyTypes.isEmpty ? 0 : try group(bytes)
    for (position, column) in columns.enumerated() { column.add(try bytes(keyTypes.count + position), to: number) }
  }

  /// Adds records of one entity, column by column: what a column needs is at hand for all of them at once.
  /// `readers` read the inputs, in the order of ``add(_:)``; nil: the function has none.
  mutating func add(_ rows: [QueryRow], _ readers: [PathReader?]) throws {
    let groups = try groups(of: rows, readers)
    for (position, column) in columns.enumerated() {
      try column.add(rows, readers[keyTypes.count + position], to: groups)
    }
  }

  private mutating func groups(of rows: [QueryRow], _ readers: [PathReader?]) throws -> [Int] {
    guard !keyTypes.isEmpty else { return [Int](repeating: 0, count: rows.count) }
    guard keyTypes.count == 1, let reader = readers[0] else {
      return try rows.map { row in try group { try readers[$0]?.bytes(in: row) } }
    }
    return try rows.map { row in
      let bytes = try reader.bytes(in: row)
      let field = bytes.flatMap { ShortField($0) }
      if let field, let group = knownGroup(field) { return group }
      let group = group { _ in bytes }
      if let field, shortKeys.count < Self.shortKeyCount { shortKeys.append((field, group)) }
      return group
    }
  }

  /// Whether what this holds can be added to another. Of sums that have left the numbers of their type it cannot.
  var canBeAdded: Bool { columns.allSatisfy(\.canBeAdded) }

  /// Adds the groups of records that come behind these. Costs a step a group and function.
  mutating func add(_ other: Aggregator) {
    var numbers: [Int] = []
    for group in other.keys.indices {
      let (number, isNew) = Array(other.groups.key(group)).withRawBytes { groups.group(of: $0) }
      if isNew {
        keys.append(other.keys[group])
        for column in columns { column.addGroup() }
      }
      numbers.append(number)
    }
    for (column, others) in zip(columns, other.columns) { column.add(others, to: numbers) }
  }

  private func knownGroup(_ field: ShortField) -> Int? {
    for known in shortKeys where known.field == field { return known.group }
    return nil
  }

  private mutating func group(_ bytes: (Int) throws -> RawBytes?) rethrows -> Int {
    encoder.removeAll()
    for (position, type) in keyTypes.enumerated() { encoder.append(encoded: try bytes(position), type: type) }
    let (number, isNew) = encoder.withRawBytes { groups.group(of: $0) }
    guard isNew else { return number }
    keys.append(
      try keyTypes.enumerated().map { position, type in
        try bytes(position).flatMap { FieldValue(encoded: $0, type: type)?.resolved } ?? .null
      })
    for column in columns { column.addGroup() }
    return number
  }

  /// The groups in the order of their keys: Swift's of each type, nil first, not-a-number last.
  package func rows() -> [AggregateRow] {
    (0..<keys.count).sorted { groups.key($0).lexicographicallyPrecedes(groups.key($1)) }.map { group in
      AggregateRow(keys: keys[group], values: columns.map { $0.value(group) })
    }
  }
}
