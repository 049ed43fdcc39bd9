import ForeignLayouts
import Foundation
import RecordStore

/// The commonest predicates, comparisons of attributes with constants joined by `&&`, read from where their parts lie.
///
/// A predicate's type says how its expression is built, so key paths and constants stand at the same offsets in
/// all predicates of a type. Found once, these offsets make a filter in about a tenth of the time that
/// ``PredicateTranslator`` takes, most of which goes into asking the runtime what each part conforms to. The filter
/// is the same; whatever is not certain is left to the translator.
///
/// A bet on Foundation (``ForeignLayout/predicates``): `MemoryLayout.offset(of:)` tells where the stored properties of
/// an expression lie, as long as Foundation makes them part of its interface (`lhs`, `rhs`, `op`, `keyPath`, `value`
/// of
/// `PredicateExpressions`). No document says that a key path lies there as a bare reference. Before the first
/// expression of a type is read, all that would be read is compared with its properties, by name. Where that differs,
/// and where the bet is turned off, the translator does the work.
///
/// Knowledge of further key paths makes another shape. A pointer file, because parts are loaded by offset.
// @unchecked: immutable; key paths and metatypes, which its closures capture, carry no mark.
final class PredicateShape: @unchecked Sendable {
  /// One comparison in the expression's memory.
  struct Comparison {
    let keyPathOffset: Int
    let constant: ConstantReader
    let isEquality: Bool
    /// Which comparison, given the expression's memory: the type does not always say.
    let comparison: (UnsafeRawPointer) -> RecordFilter.Comparison?
  }

  /// The targets of one predicate's key paths: nil where the translator must decide.
  private struct Reading {
    /// Kept, so that no other key path gets the address of one of these.
    let keyPaths: [AnyKeyPath]
    let paths: [FieldPath]?
    /// The field of a sole equality, if its value names a record.
    let uniqueOrdinal: Int?
  }

  private let comparisons: [Comparison]
  private let readings: [Reading]

  private init(_ comparisons: [Comparison], _ readings: [Reading]) {
    self.comparisons = comparisons
    self.readings = readings
  }

  /// Nil for expressions of another form.
  convenience init?(_ type: any Any.Type) {
    var comparisons: [Comparison] = []
    guard let type = type as? any ShapedCondition.Type, type.addComparisons(at: 0, to: &comparisons) else { return nil }
    self.init(comparisons, [])
  }

  /// Whether an expression was read already.
  var isTested: Bool { !readings.isEmpty }

  /// Compares what would be read of an expression with its properties. A failure turns the bet off.
  func passesTest(with expression: Any, at place: UnsafeRawPointer) -> Bool {
    let hasPassed = agrees(with: expression, at: place)
    ForeignLayout.predicates.settle(hasPassed)
    return hasPassed
  }

  /// Whether the bytes at a place hold the key paths, comparisons and constants of an expression.
  func agrees(with expression: Any, at place: UnsafeRawPointer) -> Bool {
    var parts: [Part] = []
    (expression as? any ShapedCondition)?.addParts(to: &parts)
    // Key paths first: where they are wrong, the rest is not touched.
    return parts.count == comparisons.count
      && zip(comparisons, parts).allSatisfy { comparison, part in
        place.load(fromByteOffset: comparison.keyPathOffset, as: UInt.self)
          == UInt(bitPattern: ObjectIdentifier(part.keyPath))
      }
      && zip(comparisons, parts).allSatisfy { comparison, part in
        comparison.comparison(place) == part.comparison && comparison.constant.agrees(with: part.constant, in: place)
      }
  }

  /// One comparison, by the properties of its expression.
  struct Part {
    let keyPath: AnyKeyPath
    let comparison: RecordFilter.Comparison?
    let constant: Any

    /// Nil for other sides than a key path and a constant.
    init?(_ left: Any, _ comparison: RecordFilter.Comparison?, _ right: Any) {
      guard let left = left as? any ShapedField, let right = right as? any ShapedConstant else { return nil }
      keyPath = left.namedKeyPath
      self.comparison = comparison
      constant = right.constant
    }
  }

  /// The condition that an expression of the shape's type says. Nil: the translator must decide. If `learned` is set
  /// then, the shape that it holds can.
  func condition(
    _ expression: UnsafeRawPointer, in table: PropertyTable, learned: inout PredicateShape?
  ) -> KnownCondition? {
    // By its place, as a copy would count references.
    guard let place = readings.indices.first(where: { matches(readings[$0], expression) }) else {
      learned = learning(expression, in: table)
      return nil
    }
    if let ordinal = readings[place].uniqueOrdinal {
      return comparisons[0].constant.value(in: expression).map { .record(ordinal: ordinal, $0) }
    }
    guard let paths = readings[place].paths else { return nil }
    guard comparisons.count > 1 else { return comparisons[0].filter(expression, paths[0]).map { .filter($0) } }
    var parts: [RecordFilter] = []
    parts.reserveCapacity(paths.count)
    for (comparison, path) in zip(comparisons, paths) {
      guard let part = comparison.filter(expression, path) else { return nil }
      parts.append(part)
    }
    // Comparisons alone: nothing to flatten.
    return .filter(.and(parts))
  }

  private func matches(_ reading: Reading, _ expression: UnsafeRawPointer) -> Bool {
    for index in comparisons.indices {
      // The address of the key path, without counting the reference.
      let address = expression.load(fromByteOffset: comparisons[index].keyPathOffset, as: UnsafeRawPointer.self)
      guard address == UnsafeRawPointer(Unmanaged.passUnretained(reading.keyPaths[index]).toOpaque()) else {
        return false
      }
    }
    return true
  }

  /// Programs have few predicates of one type; if one makes key paths as it goes, not all are kept.
  private static let maximumReadings = 16

  private func learning(_ expression: UnsafeRawPointer, in table: PropertyTable) -> PredicateShape {
    let keyPaths = comparisons.map { expression.load(fromByteOffset: $0.keyPathOffset, as: AnyKeyPath.self) }
    var paths: [FieldPath]? = []
    for (comparison, keyPath) in zip(comparisons, keyPaths) {
      guard let path = comparison.path(keyPath, in: table) else {
        paths = nil
        break
      }
      paths?.append(path)
    }
    let reading = Reading(
      keyPaths: keyPaths, paths: paths, uniqueOrdinal: paths.flatMap { uniqueOrdinal($0, expression, in: table) })
    return PredicateShape(comparisons, readings.suffix(Self.maximumReadings - 1) + [reading])
  }

  private func uniqueOrdinal(_ paths: [FieldPath], _ expression: UnsafeRawPointer, in table: PropertyTable) -> Int? {
    // The type says which comparison an equality is: so is it for all expressions of the shape.
    guard paths.count == 1, comparisons[0].isEquality, comparisons[0].comparison(expression) == .equal,
      paths[0].ordinals.count == 1, table.uniqueOrdinals.contains(paths[0].ordinals[0])
    else { return nil }
    return paths[0].ordinals[0]
  }
}

/// The condition that a predicate of a known shape says.
enum KnownCondition {
  /// A field that a unique index holds alone has a value: one record at most.
  case record(ordinal: Int, FieldValue)
  case filter(RecordFilter)

  var filter: RecordFilter {
    switch self {
    case .record(let ordinal, let value): .compare(FieldPath(ordinal), .equal, value)
    case .filter(let filter): filter
    }
  }
}

extension PredicateShape.Comparison {
  fileprivate func filter(_ expression: UnsafeRawPointer, _ path: FieldPath) -> RecordFilter? {
    guard let comparison = comparison(expression), let value = constant.value(in: expression) else { return nil }
    return .compare(path, comparison, value)
  }

  /// The field that a key path names, if the store compares it with the constants as Swift does.
  fileprivate func path(_ keyPath: AnyKeyPath, in table: PropertyTable) -> FieldPath? {
    guard let property = table.property(at: keyPath),
      case .field(let field) = PredicateOperand.property(property, of: PredicateOperand.Object(table: table)),
      !field.isOptional, field.plainType == constant.type, field.codec.fieldType == constant.fieldType,
      field.allows(isEquality: isEquality)
    else { return nil }
    return field.path
  }
}
