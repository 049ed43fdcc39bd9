#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// The name that a transformer is registered by.
  ///
  /// ```swift
  /// let name: NSValueTransformerName = "reversed"
  /// ValueTransformer.setValueTransformer(Reversed(), forName: name)
  /// let option = Schema.Attribute.Option.transformable(by: name.rawValue)
  /// ```
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as text.
    public let rawValue: String
    /// The name of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The name of a text.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// Turns values of a type into `Data` and back, for attributes with `.transformable(by:)`.
  ///
  /// Foundation has the class on Apple's systems only; this one has the part of it that attributes use. Override both
  /// directions, and keep no state: one transformer serves all threads.
  open class ValueTransformer {
    /// A transformer; a subclass needs this initialiser.
    public required init() {}

    /// The class of ``transformedValue(_:)``'s results.
    open class func transformedValueClass() -> AnyClass { NSData.self }
    /// Whether values can be read back; an attribute needs it.
    open class func allowsReverseTransformation() -> Bool { true }
    /// The `Data` that the store keeps for a value; nil for a value that it can not keep.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value that such `Data` stands for.
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }

    // Held as made, and only read after registration.
    private struct Registered: @unchecked Sendable {
      let transformer: ValueTransformer
    }
    private static let registered = Mutex<[NSValueTransformerName: Registered]>([:])

    /// Registers a transformer, for attributes that say `.transformable(by: "name")`. Before the container is made.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      let entry = transformer.map { Registered(transformer: $0) }
      registered.withLock { $0[name] = entry }
    }

    /// The transformer of a name.
    public class func transformer(forName name: NSValueTransformerName) -> ValueTransformer? {
      registered.withLock { $0[name] }?.transformer
    }

    /// The names of all registered transformers, sorted.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }
  }
#else
  public import Foundation

  extension ValueTransformer {
    static func transformer(forName name: NSValueTransformerName) -> ValueTransformer? {
      ValueTransformer(forName: name)
    }
  }
#endif

extension Schema.Attribute.Option {
  /// Stored as the `Data` that a transformer makes of the value: for types that are not `Codable`.
  ///
  /// The store sees bytes only: predicates and orders over the property are evaluated in Swift. A value for which the
  /// transformer gives no `Data` makes the save throw.
  public static func transformable(by transformerType: ValueTransformer.Type) -> Schema.Attribute.Option {
    let name = Schema.Attribute.TransformerName(name: String(describing: transformerType), type: transformerType)
    return Schema.Attribute.Option(value: .transformable(name))
  }
}
