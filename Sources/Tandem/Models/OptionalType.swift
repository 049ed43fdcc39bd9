/// Lets run-time code see whether a property's type is optional, and of what.
protocol OptionalType {
  static var wrappedType: Any.Type { get }
  static var none: Self { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrapped: Any? { self }
}
