/// A property that is kept in a ``KeyValueStore``: shared with other processes, and with other devices once the suite
/// is synchronised.
///
/// ```swift
/// struct Preferences {
///   @Stored("theme") var theme = "light"
///   @Stored("window.columns", suite: "group.org.example.books") var columns = 2
/// }
/// ```
///
/// Reading gives the newest commit of any process, and the default where there is none or the store cannot be read.
/// Assigning is durable when it returns. An assignment cannot throw: what fails is posted as
/// ``KeyValueStore/didFailToSetNotification`` and written to standard error, and the property goes on reading as what
/// is stored; `try $theme.set("dark")` throws instead. Changes by anybody are observed by
/// `withObservationTracking`, and followed by ``StoredValue/values``.
///
/// The suite is opened at the first use, by ``KeyValueStore/shared(suiteName:)``. Safe to use from any thread.
@propertyWrapper
public struct Stored<Value: Sendable>: Sendable {
  /// The value of `$`: the key's value as an object that can be observed.
  public let projectedValue: StoredValue<Value>

  /// The newest value of the key. An assignment is durable when it returns.
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.assign(newValue) }
  }

  /// A property of a typed key. The suite is named as in ``KeyValueStore/init(suiteName:isReadOnly:)``; nil: the suite
  /// of this program.
  public init(_ key: StoredKey<Value>, suite: String? = nil) {
    projectedValue = StoredValue(key) { try KeyValueStore.shared(suiteName: suite) }
  }

  /// A property of a typed key in a suite that is open, such as one beside models.
  public init(_ key: StoredKey<Value>, in store: KeyValueStore) { projectedValue = StoredValue(key) { store } }

  /// A property by the name of its key, with the initial value as the default.
  public init(wrappedValue: Value, _ name: String, suite: String? = nil) where Value: KeyValueConvertible {
    self.init(StoredKey(name, default: wrappedValue), suite: suite)
  }

  /// Reads as nil while the key has no value; assigning nil removes it.
  public init<Wrapped: KeyValueConvertible & Sendable>(_ name: String, suite: String? = nil) where Value == Wrapped? {
    self.init(StoredKey(name), suite: suite)
  }

  /// Any `Codable` value, kept as JSON.
  public init(wrappedValue: Value, encoding name: String, suite: String? = nil) where Value: Codable {
    self.init(StoredKey(encoding: name, default: wrappedValue), suite: suite)
  }
}
