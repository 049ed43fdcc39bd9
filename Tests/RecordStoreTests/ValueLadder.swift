import Foundation
import RecordStore
import TestSupport
import Testing

/// The values of a type in Swift's order, as a table that no code of the engine has made.
struct ValueLadder {
  let type: FieldType
  /// Rising; the values of one step are equal.
  let steps: [[FieldValue]]
  /// Not-a-number of the type, which compares with nothing.
  var unordered: [FieldValue] = []

  /// All values, with the step of each; nil for what is in no order.
  var values: [(value: FieldValue, step: Int?)] {
    steps.enumerated().flatMap { step, values in values.map { ($0, Int?.some(step)) } }
      + unordered.map { ($0, nil) }
  }

  static func of(_ type: FieldType) -> ValueLadder {
    switch type {
    case .bool: ValueLadder(type: type, steps: [[.bool(false)], [.bool(true)]])
    case .int: ValueLadder(type: type, steps: [.min, -256, -1, 0, 1, 255, 256, .max].map { [.int($0)] })
    case .uint: ValueLadder(type: type, steps: [0, 1, 255, 256, 1 << 63, .max].map { [.uint($0)] })
    case .double: ValueLadder(type: type, steps: numbers { .double($0) }, unordered: [.double(.nan), .double(-.nan)])
    case .date:
      ValueLadder(
        type: type, steps: numbers { .date(Date(timeIntervalSinceReferenceDate: $0)) },
        unordered: [.date(Date(timeIntervalSinceReferenceDate: .nan))])
    case .decimal:
      ValueLadder(
        type: type,
        steps: [["-1e20"], ["-5", "-5.00"], ["-0.5"], ["0"], ["1e-30"], ["9.99"], ["10", "1e1"], ["1e20"]].map {
          $0.map { .decimal(Decimal(string: $0) ?? .nan) }
        }, unordered: [.decimal(.nan)])
    case .string: ValueLadder(type: type, steps: texts { .string($0) })
    case .url: ValueLadder(type: type, steps: texts { .url("https://example.org/" + $0) })
    case .uuid:
      ValueLadder(
        type: type,
        steps: [
          "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000100",
          "01000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        ].map { [.uuid(UUID(uuidString: $0) ?? UUID())] })
    case .data: ValueLadder(type: type, steps: bytes.map { [.data(Data($0))] })
    case .composite: ValueLadder(type: type, steps: bytes.map { [.composite(Data($0))] })
    case .reference: ValueLadder(type: type, steps: (1...4).map { [.reference(fixtureID(100 + $0))] })
    }
  }

  private static let bytes: [[UInt8]] = [[], [0], [0, 0], [0, 1], [1], [0xFF], [0xFF, 0]]

  private static func numbers(_ value: (Double) -> FieldValue) -> [[FieldValue]] {
    [[-.infinity], [-1.5], [-.leastNonzeroMagnitude], [-0.0, 0], [.leastNonzeroMagnitude], [2.5], [.infinity]].map {
      $0.map(value)
    }
  }

  /// By the scalars of the composed form: "é" stands behind "z", and its two spellings are one value.
  private static func texts(_ value: (String) -> FieldValue) -> [[FieldValue]] {
    [[""], ["\0"], ["A"], ["a"], ["a\0"], ["aa"], ["z"], ["\u{E9}", "e\u{301}"], ["\u{65E5}"], ["\u{1F600}"]].map {
      $0.map(value)
    }
  }
}

extension RecordFilter.Comparison {
  static let all: [RecordFilter.Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]

  /// What Swift says of two optional values of a ladder. `steps`: nil where the value is nil or in no order.
  func holds(_ left: (value: FieldValue, step: Int?), _ right: (value: FieldValue, step: Int?)) -> Bool {
    if left.value == .null || right.value == .null {
      let areBothNil = left.value == .null && right.value == .null
      return self == .equal ? areBothNil : self == .notEqual ? !areBothNil : false
    }
    guard let left = left.step, let right = right.step else { return self == .notEqual }
    return switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

/// A store with a record for every pair of a ladder's values, nil among them, in the fields `left` and `right`.
struct LadderStore {
  typealias Value = (value: FieldValue, step: Int?)

  let type: FieldType
  let values: [Value]
  /// By id.
  let records: [(id: RecordID, left: Value, right: Value)]
  private let schema: StoreSchema

  init(_ type: FieldType, isIndexed: Bool) {
    self.type = type
    values = [(.null, nil)] + ValueLadder.of(type).values
    var records: [(id: RecordID, left: Value, right: Value)] = []
    for left in values {
      // Not in the order of the values, so that ids do not give it away.
      for right in values.reversed() { records.append((fixtureID(UInt64(1_000 + records.count)), left, right)) }
    }
    self.records = records
    let names = ["left", "right"]
    schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Pair",
        attributes: type == .reference ? [] : names.map { AttributeDefinition(name: $0, type: type, isOptional: true) },
        relationships: type != .reference ? [] : names.map { RelationshipDefinition(name: $0, destination: "Target") },
        indexes: isIndexed ? [IndexDefinition("left", "right"), Self.rightFromBehind] : []),
      EntityDefinition(name: "Target"),
    ])
  }

  private static let rightFromBehind = IndexDefinition(components: [.init("right", isDescending: true)])

  func run(
    _ body: (borrowing StoreSnapshot, _ pair: EntityNumber, _ left: FieldPath, _ right: FieldPath) throws -> Void
  ) throws {
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      if type == .reference {
        for target in values {
          if case .reference(let id) = target.value { try store.save(names.insert("Target", id)) }
        }
      }
      let changes = records.map { names.insert("Pair", $0.id, ["left": $0.left.value, "right": $0.right.value]) }
      _ = try store.commit(SaveRequest(changes: changes))
      let (left, right) = (FieldPath(names.ordinal("Pair", "left")), FieldPath(names.ordinal("Pair", "right")))
      try store.read { try body($0, names.entity("Pair"), left, right) }
    }
  }
}
