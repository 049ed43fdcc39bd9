import Foundation
import RecordStore
import StoreInspection

/// Groups of records as rows: the keys of each group, and what is computed over its records.
struct AggregateListing: Listing {
  typealias Column = AggregateArguments.Column

  private let aggregates: [Column]
  private var rows: [[FieldValue]] = []
  private var names: TargetNames

  init(
    _ columns: [Column], of query: RecordQuery, forPeople: Bool, in snapshot: borrowing StoreSnapshot
  ) throws {
    aggregates = columns
    names = TargetNames(isWanted: forPeople)
    let keys = columns.filter { $0.kind == .key }
    let request = AggregateQuery(
      query, keys: keys.map(\.path), functions: columns.flatMap { AggregateListing.functions(of: $0) })
    for row in try snapshot.querySource.aggregate(request) {
      var values = row.values[...]
      let computed = try columns.dropFirst(keys.count).map { try AggregateListing.value(of: $0, taking: &values) }
      rows.append(row.keys + computed)
      for (column, value) in zip(columns, row.keys + computed) {
        if let field = column.field { try names.note(value, field, in: snapshot) }
      }
    }
    rows.sort { AggregateListing.precedes($0[..<keys.count], $1[..<keys.count]) }
  }

  var rowCount: Int { rows.count }

  var columns: [TextTable.Column] {
    aggregates.map { column in
      let isNumber = column.kind == .count || column.field?.type.isNumber ?? false
      return TextTable.Column(column.title, isNumber ? .right : .left)
    }
  }

  func shown(_ row: Int) -> [String] { rows[row].map { names.text(of: $0) } }
  func plain(_ row: Int) -> [String?] { rows[row].map { $0.programJSON.cellText } }

  /// `{"@group":{"list.name":"Food"},"count":2,"sum":{"price":"4.7"}}`.
  func json(_ row: Int) -> JSON {
    var members = [JSON.Member("@group", .object(self.members(.key, of: row)))]
    for kind in [Column.Kind.count, .sum, .average, .min, .max] {
      let found = self.members(kind, of: row)
      guard let first = found.first else { continue }
      members.append(.init(kind.rawValue, kind == .count ? first.value : .object(found)))
    }
    return .object(members)
  }

  private func members(_ kind: Column.Kind, of row: Int) -> [JSON.Member] {
    zip(aggregates, rows[row]).filter { $0.0.kind == kind }.map { JSON.Member($0.0.name, $0.1.programJSON) }
  }
}

// Functions of the store, and their values.
extension AggregateListing {
  private static func functions(of column: Column) -> [AggregateFunction] {
    switch column.kind {
    case .key: []
    case .count: [.count]
    case .sum: [.sum(column.path)]
    case .average: [.sum(column.path), .countValues(column.path)]
    case .min: [.minimum(column.path)]
    case .max: [.maximum(column.path)]
    }
  }

  private static func value(
    of column: Column, taking values: inout ArraySlice<AggregateValue>
  ) throws -> FieldValue {
    let value = values.removeFirst()
    guard column.kind == .average else { return try plain(value, of: column) }
    guard case .count(let count) = values.removeFirst(), count > 0 else { return .null }
    switch value {
    case .integer(let sum): return .double(Double(sum) / Double(count))
    case .double(let sum): return .double(sum / Double(count))
    default:
      guard case .decimal(let sum) = try plain(value, of: column) else { return .null }
      return .decimal(sum / Decimal(count))
    }
  }

  private static func plain(_ value: AggregateValue, of column: Column) throws -> FieldValue {
    switch value {
    case .count(let count): return .int(Int64(count))
    case .integer(let sum):
      if let small = Int64(exactly: sum) { return .int(small) }
      guard let large = UInt64(exactly: sum) else { throw tooLong(column) }
      return .uint(large)
    case .double(let sum): return .double(sum)
    case .decimal(let sum):
      guard let sum = sum.decimal else { throw tooLong(column) }
      return .decimal(sum)
    case .value(let value): return value
    }
  }

  private static func tooLong(_ column: Column) -> CommandFailure {
    CommandFailure("the sum of '\(column.name)' has more digits than its type holds; add fewer records by --where")
  }
}

// The order of groups.
extension AggregateListing {
  /// Orders groups by columns, the first one first; a minus before a title: the greatest value first.
  mutating func sort(by titles: [String]) throws(CommandFailure) {
    var keys: [(place: Int, isDescending: Bool)] = []
    for title in titles {
      let isDescending = title.hasPrefix("-")
      let name = isDescending ? String(title.dropFirst()) : title
      guard let place = aggregates.firstIndex(where: { $0.title == name }) else {
        throw CommandFailure(
          "--sort \(DisplayText.visible(title)): no column of the groups is named so; "
            + NameSuggestion.sentence(for: name, among: aggregates.map(\.title)))
      }
      keys.append((place, isDescending))
    }
    for key in keys.reversed() {
      // Stable, so that the keys that were sorted by before break ties.
      rows.sort { left, right in
        AggregateListing.precedes(
          [left[key.place]], [right[key.place]], isDescending: key.isDescending)
      }
    }
  }

  mutating func cut(offset: Int, limit: Int?) {
    rows = Array(rows.dropFirst(offset).prefix(limit ?? .max))
  }

  private static func precedes(
    _ left: some Sequence<FieldValue>, _ right: some Sequence<FieldValue>, isDescending: Bool = false
  ) -> Bool {
    for (left, right) in zip(left, right) where left != right {
      return isDescending ? isLess(right, left) : isLess(left, right)
    }
    return false
  }

  /// No value comes first, and what is no number last; values of one column have one type, or are two kinds of whole
  /// numbers.
  private static func isLess(_ left: FieldValue, _ right: FieldValue) -> Bool {
    switch (left, right) {
    case (.null, _): right != .null
    case (_, .null): false
    case (.bool(let left), .bool(let right)): !left && right
    case (.int(let left), .int(let right)): left < right
    case (.uint(let left), .uint(let right)): left < right
    case (.int(let left), .uint(let right)): left < 0 || UInt64(left) < right
    case (.uint(let left), .int(let right)): right >= 0 && left < UInt64(right)
    case (.double(let left), .double(let right)): !left.isNaN && (right.isNaN || left < right)
    case (.decimal(let left), .decimal(let right)): left < right
    case (.date(let left), .date(let right)): left < right
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)): left < right
    default: (left.programJSON.cellText ?? "") < (right.programJSON.cellText ?? "")
    }
  }
}
