import Foundation

/// A type with a value that compares with nothing: not-a-number. An order of objects needs a place for it, because
/// sorting by a comparison that contradicts itself leaves the other objects out of order as well.
protocol PartlyOrdered {
  var isUnordered: Bool { get }
}

extension PartlyOrdered where Self: FloatingPoint {
  var isUnordered: Bool { isNaN }
}

extension Double: PartlyOrdered {}
extension Float: PartlyOrdered {}
extension CGFloat: PartlyOrdered {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  extension Float16: PartlyOrdered {}
#endif

extension Decimal: PartlyOrdered {
  var isUnordered: Bool { isNaN }
}

extension Date: PartlyOrdered {
  var isUnordered: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension Optional: PartlyOrdered where Wrapped: PartlyOrdered {
  /// Nil has a place: it comes first.
  var isUnordered: Bool { self?.isUnordered ?? false }
}
