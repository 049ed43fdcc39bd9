import Foundation
import RecordStore

// Which expressions have a shape. `MemoryLayout.offset(of:)` is nil where a stored property's place is not part of a
// type's interface; then there is no shape, and the translator does the work. A pointer file, as the shape itself.

/// A condition whose comparisons lie at fixed offsets.
protocol ShapedCondition {
  /// Adds the comparisons of a value of this type that lies at `offset`. False: it has none, or others besides.
  static func addComparisons(at offset: Int, to comparisons: inout [PredicateShape.Comparison]) -> Bool
  /// Adds the same comparisons, in the same order, by the properties of this value.
  func addParts(to parts: inout [PredicateShape.Part])
}

/// A key path from the object that is tested.
protocol ShapedField {
  static var keyPathOffset: Int? { get }
  var namedKeyPath: AnyKeyPath { get }
}

protocol ShapedConstant {
  static func reader(at offset: Int) -> ConstantReader?
  var constant: Any { get }
}

/// The object that is tested.
protocol ShapedVariable {}
extension PredicateExpressions.Variable: ShapedVariable {}

extension PredicateExpressions.KeyPath: ShapedField {
  static var keyPathOffset: Int? {
    Root.self is any ShapedVariable.Type ? MemoryLayout<Self>.offset(of: \.keyPath) : nil
  }
  var namedKeyPath: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: ShapedConstant {
  static func reader(at offset: Int) -> ConstantReader? {
    guard let value = MemoryLayout<Self>.offset(of: \.value) else { return nil }
    return ConstantReader.reader(of: Output.self, at: offset + value)
  }
  var constant: Any { value }
}

extension PredicateExpressions.Conjunction: ShapedCondition {
  static func addComparisons(at offset: Int, to comparisons: inout [PredicateShape.Comparison]) -> Bool {
    guard let left = LHS.self as? any ShapedCondition.Type, let right = RHS.self as? any ShapedCondition.Type,
      let leftOffset = MemoryLayout<Self>.offset(of: \.lhs), let rightOffset = MemoryLayout<Self>.offset(of: \.rhs)
    else { return false }
    return left.addComparisons(at: offset + leftOffset, to: &comparisons)
      && right.addComparisons(at: offset + rightOffset, to: &comparisons)
  }

  func addParts(to parts: inout [PredicateShape.Part]) {
    (lhs as? any ShapedCondition)?.addParts(to: &parts)
    (rhs as? any ShapedCondition)?.addParts(to: &parts)
  }
}

extension PredicateExpressions.Equal: ShapedCondition {
  static func addComparisons(at offset: Int, to comparisons: inout [PredicateShape.Comparison]) -> Bool {
    PredicateShape.Comparison(
      LHS.self, MemoryLayout<Self>.offset(of: \.lhs), RHS.self, MemoryLayout<Self>.offset(of: \.rhs),
      at: offset, isEquality: true
    ) { _ in .equal }.add(to: &comparisons)
  }

  func addParts(to parts: inout [PredicateShape.Part]) {
    if let part = PredicateShape.Part(lhs, .equal, rhs) { parts.append(part) }
  }
}

extension PredicateExpressions.NotEqual: ShapedCondition {
  static func addComparisons(at offset: Int, to comparisons: inout [PredicateShape.Comparison]) -> Bool {
    PredicateShape.Comparison(
      LHS.self, MemoryLayout<Self>.offset(of: \.lhs), RHS.self, MemoryLayout<Self>.offset(of: \.rhs),
      at: offset, isEquality: true
    ) { _ in .notEqual }.add(to: &comparisons)
  }

  func addParts(to parts: inout [PredicateShape.Part]) {
    if let part = PredicateShape.Part(lhs, .notEqual, rhs) { parts.append(part) }
  }
}

extension PredicateExpressions.Comparison: ShapedCondition {
  static func addComparisons(at offset: Int, to comparisons: inout [PredicateShape.Comparison]) -> Bool {
    PredicateShape.Comparison(
      LHS.self, MemoryLayout<Self>.offset(of: \.lhs), RHS.self, MemoryLayout<Self>.offset(of: \.rhs),
      at: offset, isEquality: false
    ) { ($0 + offset).assumingMemoryBound(to: Self.self).pointee.comparison }.add(to: &comparisons)
  }

  func addParts(to parts: inout [PredicateShape.Part]) {
    if let part = PredicateShape.Part(lhs, comparison, rhs) { parts.append(part) }
  }
}

extension PredicateShape.Comparison {
  /// Reads a key path on the left with a constant on the right; nil for other sides.
  fileprivate init?(
    _ left: any Any.Type, _ leftOffset: Int?, _ right: any Any.Type, _ rightOffset: Int?, at offset: Int,
    isEquality: Bool, _ comparison: @escaping (UnsafeRawPointer) -> RecordFilter.Comparison?
  ) {
    guard let leftOffset, let rightOffset, let left = left as? any ShapedField.Type,
      let right = right as? any ShapedConstant.Type, let keyPathOffset = left.keyPathOffset,
      let constant = right.reader(at: offset + rightOffset)
    else { return nil }
    self.init(
      keyPathOffset: offset + leftOffset + keyPathOffset, constant: constant, isEquality: isEquality,
      comparison: comparison)
  }
}

extension PredicateShape.Comparison? {
  fileprivate func add(to comparisons: inout [PredicateShape.Comparison]) -> Bool {
    guard let self else { return false }
    comparisons.append(self)
    return true
  }
}
