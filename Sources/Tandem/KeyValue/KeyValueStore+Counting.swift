import RecordStore
import Synchronization

// Changes that depend on what is there: read and written in one commit, so that no other process's change falls
// between.
extension KeyValueStore {
  /// Changes a value by what it is at the moment of the commit, so that no other process's change is lost
  /// in between: a list that grows. Returns the new value, which ends when the old one would have.
  /// `change` may run more than once.
  ///
  /// Between devices the later write wins, as everywhere: of two lists that grew apart one is kept.
  ///
  /// - Throws: What `change` throws, and what ``transaction(_:)`` throws; then nothing is changed.
  @discardableResult
  public func update(
    _ key: String, _ change: @escaping @Sendable (KeyValue?) throws -> KeyValue?
  ) throws -> KeyValue? {
    try editing(key) { old, edit in
      let new = try change(old?.value)
      edit.set(new.map { KeyValueContent($0, expiresAt: old?.expiresAt) }, forKey: key)
      return new
    }
  }

  /// Adds to a whole number, and returns the sum. An absent key counts from what ``register(defaults:)`` gave it, else
  /// from zero. The value ends when the old one would have.
  ///
  /// No step of any process of this device is lost. **Between devices that count apart, steps are:** each writes the
  /// sum that it sees, and the later write wins. Where both sums are the same number, nothing tells of it, not even the
  /// conflict log. Where every device counts, let each count under a key of its own, such as `starts.phone`, and add up
  /// ``dictionaryRepresentation(prefix:)``.
  ///
  /// - Throws: `StoreError`: `invalidRequest` where the key holds something else, or the sum is too large, and what
  ///   ``transaction(_:)`` throws; then nothing is changed.
  @discardableResult
  public func increment(_ key: String, by step: Int = 1) throws -> Int {
    let registered = defaults.withLock { $0[key] }
    return try editing(key) { [suiteName] old, edit in
      guard let number = Int(exactlyIn: old?.value ?? registered ?? .integer(0)) else {
        throw StoreError(
          .invalidRequest,
          "the value of \(key.debugDescription) in \(suiteName) is no whole number; set one before you add to it")
      }
      let (sum, isTooLarge) = number.addingReportingOverflow(step)
      guard !isTooLarge else {
        throw StoreError(
          .invalidRequest,
          "\(key.debugDescription) in \(suiteName) cannot hold the sum of \(number) and \(step); set a smaller value")
      }
      edit.set(KeyValueContent(.integer(sum), expiresAt: old?.expiresAt), forKey: key)
      return sum
    }
  }

  /// Sets a value if the key still holds `expected`, and says whether it did. Nil stands for an absent key; as `value`
  /// it removes the key.
  ///
  /// Defaults of ``register(defaults:)`` are not looked at. The comparison is one of values, and so of kinds: 1 is not
  /// `true`. It holds among the processes of this device: two devices that are apart may both succeed, and the later
  /// write wins.
  ///
  /// The new value ends at `expiresAt`, as with ``KeyValueStore/set(_:forKey:expiresAt:)``.
  ///
  /// - Throws: What ``transaction(_:)`` throws; then nothing is changed.
  @discardableResult
  public func compareAndSet<Value: KeyValueConvertible>(
    _ key: String, expecting expected: Value?, to value: Value?, expiresAt: Date? = nil
  ) throws -> Bool {
    let (wanted, content) = (expected?.keyValue, value.map { KeyValueContent($0.keyValue, expiresAt: expiresAt) })
    return try editing(key) { old, edit in
      guard old?.value == wanted else { return false }
      edit.set(content, forKey: key)
      return true
    }
  }

  /// `change` sees what the key holds, which is nothing once it has ended.
  private func editing<Outcome: Sendable>(
    _ key: String, _ change: @escaping @Sendable (KeyValueContent?, inout KeyValueEdit) throws -> Outcome
  ) throws -> Outcome {
    let (suiteName, place, now) = (suiteName, place, now)
    return try store.commit { snapshot in
      let old = try snapshot.keyValue(key, suite: suiteName, in: place)
      var edit = KeyValueEdit()
      let outcome = try change(old.flatMap { $0.hasExpired(at: now) ? nil : $0 }, &edit)
      return (try edit.request(suite: suiteName, in: place, of: snapshot), outcome)
    }.1
  }
}

extension Int {
  /// A whole number without loss; nothing is read as something else.
  fileprivate init?(exactlyIn value: KeyValue) {
    switch value {
    case .integer(let value): self = value
    case .double(let value): self.init(exactly: value)
    default: return nil
    }
  }
}
