import Foundation
import LMDB

/// How far one index serves a filter: equalities on its first components, then one range, prefix or list.
struct IndexMatch {
  let index: CatalogueIndex
  private(set) var equalCount = 0
  /// Whether a range, prefix or list follows the equalities.
  private(set) var hasRange = false
  private(set) var ranges: [KeyRange] = []
  /// Conditions that the ranges were made from, and those of them that the ranges guarantee. Arrays, as there are few:
  /// hashing conditions would cost more than comparing them.
  private(set) var used: [RecordFilter] = []
  private(set) var guaranteed: [RecordFilter] = []
  /// Ordinals that have one value in all entries.
  private(set) var fixedOrdinals: [Int] = []

  private var encoder = KeyEncoder()
  /// Whether a value of type `data` may lie beside the store. The entry of one that has not come is no bound of it.
  private let mayLackValues: Bool
  private var exactByteCount: Int { index.keyLimit.exactByteCount }

  /// `fields` are those of the index's entity; `ordinal` gives the ordinal there of a field of the queried entity.
  init(
    _ index: CatalogueIndex, over fields: [CatalogueField], conjuncts: [RecordFilter], mayLackValues: Bool,
    ordinal: (FieldPath) -> Int?
  ) {
    self.index = index
    self.mayLackValues = mayLackValues
    for component in index.components {
      let terms = conjuncts.filter { $0.indexedPath.flatMap(ordinal) == component.ordinal }
      guard !addEquality(terms, component) else { continue }
      addRange(terms, component, fields[component.ordinal].type)
      break
    }
    if ranges.isEmpty { ranges = [KeyRange(prefix: encoder.bytes)] }
    ranges.removeAll(where: \.isEmpty)
  }

  /// Every component has one value, and the index is unique: at most one entry, unless a value is null.
  var isPoint: Bool {
    index.isUnique && equalCount == index.components.count && guaranteed.count == used.count
      && !used.contains { if case .compare(_, _, .null) = $0 { true } else { false } }
  }

  /// True if the component has one value and the next may be looked at.
  private mutating func addEquality(_ terms: [RecordFilter], _ component: CatalogueIndex.Component) -> Bool {
    let equality = terms.lazy.compactMap { term -> (RecordFilter, FieldValue)? in
      if case .compare(_, .equal, let value) = term { (term, value) } else { nil }
    }.first
    guard let (term, value) = equality else { return false }
    encoder.append(value, in: component)
    equalCount += 1
    fixedOrdinals.append(component.ordinal)
    used.append(term)
    guard encoder.count <= exactByteCount else {
      // Entries of so long values are cut: what they share with the value is all that a range can ask for.
      encoder.truncate(to: exactByteCount)
      ranges = [KeyRange(prefix: encoder.bytes)]
      return false
    }
    guaranteed.append(term)
    return true
  }

  private mutating func addRange(
    _ terms: [RecordFilter], _ component: CatalogueIndex.Component, _ type: FieldType
  ) {
    guard ranges.isEmpty else { return }
    for term in terms {
      switch term {
      case .oneOf(_, let values):
        addList(values, term, component)
        return
      case .text(_, .hasPrefix, let text) where !text.isEmpty:
        addPrefix(text, term, component, type)
        return
      default: continue
      }
    }
    addComparisons(terms, component, type)
  }

  private mutating func addList(
    _ values: [FieldValue], _ term: RecordFilter, _ component: CatalogueIndex.Component
  ) {
    let keys = bounds(values, component)
    // Equal ones stand side by side.
    for key in keys where ranges.last?.lower != key { ranges.append(KeyRange(prefix: key)) }
    hasRange = true
    used.append(term)
    if keys.allSatisfy({ $0.count < exactByteCount }) { guaranteed.append(term) }
  }

  /// Texts that begin with a text have keys that begin with its key, its end mark left out. The text decides
  /// again, by characters.
  private mutating func addPrefix(
    _ text: String, _ term: RecordFilter, _ component: CatalogueIndex.Component, _ type: FieldType
  ) {
    var key = encoder
    if component.isForPeople {
      key.append(prefixForPeople: text, isDescending: component.isDescending)
    } else {
      key.append(type == .url ? .url(text) : .string(text), in: component)
      key.truncate(to: key.count - 1)
    }
    key.truncate(to: min(key.count, exactByteCount))
    ranges = [KeyRange(prefix: key.bytes)]
    hasRange = true
    used.append(term)
  }

  private mutating func addComparisons(
    _ terms: [RecordFilter], _ component: CatalogueIndex.Component, _ type: FieldType
  ) {
    // People's order says nothing of Swift's.
    guard terms.contains(where: \.isComparison), !component.isForPeople else { return }
    var range = domain(component, type)
    for case .compare(let path, let comparison, let value) in terms where value != .null {
      let term = RecordFilter.compare(path, comparison, value)
      let (bytes, isExact) = bound(value, component)
      let after = bytes.successor
      switch (comparison, component.isDescending) {
      case (.greaterOrEqual, false), (.lessOrEqual, true): range.raiseLower(to: bytes)
      case (.greater, false), (.less, true): range.raiseLower(to: isExact ? after ?? bytes : bytes)
      case (.lessOrEqual, false), (.greaterOrEqual, true): range.lowerUpper(to: after)
      case (.less, false), (.greater, true): range.lowerUpper(to: isExact ? bytes : after)
      default: continue
      }
      hasRange = true
      used.append(term)
      if isExact && !(mayLackValues && type == .data) { guaranteed.append(term) }
    }
    if hasRange { ranges = [range] }
  }

  /// All values of a component that can be compared: neither null nor not-a-number.
  private func domain(_ component: CatalogueIndex.Component, _ type: FieldType) -> KeyRange {
    var range = KeyRange(prefix: encoder.bytes + [component.isDescending ? 0xFE : 0x01])
    guard let notANumber = type.notANumber else { return range }
    let bytes = bound(notANumber, component).bytes
    if component.isDescending {
      range.raiseLower(to: bytes.successor ?? bytes)
    } else {
      range.lowerUpper(to: bytes)
    }
    return range
  }

  /// The keys up to and with each value, cut to what all entries have, in their order.
  private func bounds(_ values: [FieldValue], _ component: CatalogueIndex.Component) -> [[UInt8]] {
    var encoder = encoder
    let start = encoder.count
    let keys = values.map { value in
      encoder.truncate(to: start)
      encoder.append(value, in: component)
      if encoder.count > exactByteCount { encoder.truncate(to: exactByteCount) }
      return encoder.bytes
    }
    return keys.sorted { left, right in left.withRawBytes { left in right.withRawBytes { left.compare($0) < 0 } } }
  }

  /// The key up to and with a value, cut to what all entries have; inexact if anything was cut.
  private func bound(_ value: FieldValue, _ component: CatalogueIndex.Component) -> (bytes: [UInt8], isExact: Bool) {
    var encoder = encoder
    encoder.append(value, in: component)
    guard encoder.count >= exactByteCount else { return (encoder.bytes, true) }
    encoder.truncate(to: exactByteCount)
    return (encoder.bytes, false)
  }
}

extension RecordFilter {
  /// The one field that the condition is about, if an index may serve it.
  var indexedPath: FieldPath? {
    switch self {
    case .compare(let path, _, _), .oneOf(let path, _), .text(let path, .hasPrefix, _): path
    default: nil
    }
  }
}

extension RecordFilter {
  fileprivate var isComparison: Bool { if case .compare = self { true } else { false } }
}

extension FieldType {
  fileprivate var notANumber: FieldValue? {
    switch self {
    case .double: .double(.nan)
    case .date: .date(Date(timeIntervalSinceReferenceDate: .nan))
    case .decimal: .decimal(.nan)
    default: nil
    }
  }
}
