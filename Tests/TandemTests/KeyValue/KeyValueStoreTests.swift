import Foundation
import HelperProcess
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import Tandem

@Suite struct KeyValueStoreTests {
  private static let schema = StoreSchema(entities: []).addingKeyValues()

  private struct Window: Codable, Equatable {
    var width: Double
    var tabs: [String]
  }

  /// All history was asked for, which threw once a part of it was trimmed: conflicts of such a suite could not be
  /// listed.
  @Test func `the name of a removed key is known as long as history has it, and unknown afterwards`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      try settings.set(1, forKey: "kept")
      try settings.set(2, forKey: "gone")
      try settings.removeObject(forKey: "gone")
      let delete = try #require(
        store.read { try $0.history(after: 0) }.flatMap(\.changes).first { $0.kind == .delete })
      func name() throws -> KeyValueName? { try store.read { try KeyValueName(of: delete.id, in: $0) } }
      try store.trimHistory(through: 1)
      #expect(try name()?.key == "gone")
      try store.trimHistory(through: store.read { try $0.lastTransactionNumber })
      #expect(try name() == nil)
    }
  }

  @Test func `every kind of value comes back as it was set`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      try settings.set(true, forKey: "bool")
      try settings.set(-3, forKey: "integer")
      try settings.set(0.1, forKey: "double")
      try settings.set(Double.infinity, forKey: "infinity")
      try settings.set("é \"quoted\" 👩‍👧", forKey: "string")
      try settings.set(Date(timeIntervalSinceReferenceDate: 1.0 / 3), forKey: "date")
      try settings.set(Data([0, 255]), forKey: "data")
      try settings.set(URL(string: "https://example.com/a?b#c"), forKey: "url")
      try settings.set([1, 2], forKey: "array")
      try settings.set(["a": KeyValue.bool(true), "b": [1.5, "x"]], forKey: "dictionary")
      try settings.set(encoding: Window(width: 3, tabs: ["a/b"]), forKey: "window")

      #expect(try settings.bool(forKey: "bool"))
      #expect(try settings.integer(forKey: "integer") == -3)
      #expect(try settings.double(forKey: "double") == 0.1)
      #expect(try settings.double(forKey: "infinity") == .infinity)
      #expect(try settings.string(forKey: "string") == "é \"quoted\" 👩‍👧")
      #expect(try settings.date(forKey: "date") == Date(timeIntervalSinceReferenceDate: 1.0 / 3))
      #expect(try settings.data(forKey: "data") == Data([0, 255]))
      #expect(try settings.url(forKey: "url") == URL(string: "https://example.com/a?b#c"))
      #expect(try settings.array(forKey: "array") == [1, 2])
      #expect(try settings.dictionary(forKey: "dictionary") == ["a": true, "b": [1.5, "x"]])
      #expect(try settings.decode(Window.self, forKey: "window") == Window(width: 3, tabs: ["a/b"]))
      #expect(throws: DecodingError.self) { try settings.decode([Int].self, forKey: "window") }
      #expect(try settings.dictionaryRepresentation().count == 11)
    }
  }

  @Test(
    arguments: [
      (KeyValue.string("x"), #"{"string":"x"}"#), (3, #"{"integer":3}"#), (2.0, #"{"double":2}"#),
      (.double(.nan), #"{"double":"nan"}"#), (true, #"{"bool":true}"#),
      (.date(Date(timeIntervalSinceReferenceDate: 1.5)), #"{"date":1.5}"#), (.data(Data([1])), #"{"data":"AQ=="}"#),
      (.dictionary(["a": [1]]), #"{"dictionary":{"a":{"array":[{"integer":1}]}}}"#),
    ])
  func `the stored text of a value is fixed`(value: KeyValue, text: String) throws {
    #expect(try value.text == text)
    #expect(try KeyValue(text: text).text == text)
  }

  @Test func `absent keys read as nothing, or as what was registered`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      #expect(try !settings.bool(forKey: "a"))
      #expect(try settings.integer(forKey: "a") == 0)
      #expect(try settings.string(forKey: "a") == nil)
      settings.register(defaults: ["a": "7"])
      #expect(try settings.integer(forKey: "a") == 7)
      try settings.set("8", forKey: "a")
      #expect(try settings.dictionaryRepresentation() == ["a": "8"])
      try settings.removeObject(forKey: "a")
      #expect(try settings.string(forKey: "a") == "7")
      try settings.set("9", forKey: "a")
      try settings.set(nil as String?, forKey: "a")
      #expect(try settings.dictionaryRepresentation() == ["a": "7"])
      try settings.set("10", forKey: "a")
      #expect(try settings.string(forKey: "a") == "10")
    }
  }

  @Test func `suites do not see each other, handles of one suite do`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let one = try KeyValueStore(suiteName: "one", store: store)
      let again = try KeyValueStore(suiteName: "one", store: store)
      let two = try KeyValueStore(suiteName: "two", store: store)
      try one.set(1, forKey: "é")
      #expect(try again.integer(forKey: "e\u{301}") == 1)
      #expect(try two.value(forKey: "é") == nil)
      #expect(try two.dictionaryRepresentation().isEmpty)
    }
  }

  @Test func `a transaction is one commit, and none if it throws or changes nothing`() throws {
    struct Refusal: Error {}
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      try settings.transaction { edit in
        edit.set(1, forKey: "a")
        edit.set(2, forKey: "b")
        edit.removeObject(forKey: "b")
      }
      #expect(throws: Refusal.self) {
        try settings.transaction { edit in
          edit.set(3, forKey: "a")
          throw Refusal()
        }
      }
      try settings.set(1, forKey: "a")
      #expect(try settings.dictionaryRepresentation() == ["a": 1])
      #expect(try store.read { try $0.lastTransactionNumber } == 1)
    }
  }

  @Test func `changes tell which keys of the suite changed, removals too`() async throws {
    try await withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      let other = try KeyValueStore(suiteName: "other", store: store)
      let changes = settings.changes
      try other.set(1, forKey: "x")
      try settings.transaction { edit in
        edit.set(1, forKey: "a")
        edit.set(2, forKey: "b")
      }
      try settings.removeObject(forKey: "a")
      var iterator = changes.makeAsyncIterator()
      let first = await iterator.next()
      // A removal may be read together with what it removed: the keys that are still there are told first.
      #expect(first == KeyValueChange(keys: ["a", "b"], origin: .thisProcess) || first?.keys == ["b"])
      #expect(await iterator.next() == KeyValueChange(keys: ["a"], origin: .thisProcess))
    }
  }

  // The streams ended without a word, though the store can be read: what showed a setting went on showing it.
  @Test func `changes and values go on when the store is erased`() async throws {
    try await withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      try settings.set(1, forKey: "a")
      var changes = settings.changes.makeAsyncIterator()
      var values = settings.values(forKey: "a").makeAsyncIterator()
      #expect(await values.next() == .some(.integer(1)))
      try settings.set(2, forKey: "b")
      #expect(await changes.next()?.keys == ["b"])
      try store.erase()
      #expect(await values.next() == .some(nil))
      #expect(await changes.next()?.keys == ["a", "b"])
      try settings.set(3, forKey: "a")
      #expect(await values.next() == .some(.integer(3)))
      #expect(await changes.next() == KeyValueChange(keys: ["a"], origin: .thisProcess))
    }
  }

  @Test func `a notification names the changed keys`() async throws {
    try await withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      let (names, continuation) = AsyncStream.makeStream(of: [String].self)
      let observer = NotificationCenter.default.addObserver(
        forName: KeyValueStore.didChangeNotification, object: settings, queue: nil
      ) { notification in
        continuation.yield(notification.userInfo?[KeyValueStore.changedKeysKey] as? [String] ?? [])
      }
      try settings.set(1, forKey: "a")
      var iterator = names.makeAsyncIterator()
      #expect(await iterator.next() == ["a"])
      NotificationCenter.default.removeObserver(observer)
    }
  }

  @Test func `another process sets, and both count without losing a step`() async throws {
    let temporary = try TemporaryStore(schema: Self.schema)
    let settings = try KeyValueStore(suiteName: "test", store: temporary.store)
    let changes = settings.changes
    let path = temporary.store.url.path
    let setter = try HelperProcess(arguments: [path, "set", "greeting", "hello"], program: "key-value-test-helper")
    try setter.expect("done")
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() == KeyValueChange(keys: ["greeting"], origin: .anotherProcess))
    #expect(try settings.string(forKey: "greeting") == "hello")

    let counter = try HelperProcess(arguments: [path, "increment", "count", "200"], program: "key-value-test-helper")
    for _ in 0..<200 { try settings.update("count") { .integer(($0?.integerValue ?? 0) + 1) } }
    try counter.expect("done")
    #expect(try settings.integer(forKey: "count") == 400)
    try temporary.check()
  }

  @Test func `a container's store has room for settings beside its models`() throws {
    let container = try ModelContainer(for: Person.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let settings = try KeyValueStore(suiteName: "test", container: container)
    try settings.set("x", forKey: "a")
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Person>()) == 0)
    #expect(try settings.string(forKey: "a") == "x")
    try expectSound(container.store)
  }

  @Test func `a store without the entity is refused with the remedy`() throws {
    try withTemporaryStore(schema: StoreSchema(entities: [])) { store in
      let error = #expect(throws: StoreError.self) { try KeyValueStore(suiteName: "test", store: store) }
      #expect(error?.code == .incompatibleSchema)
    }
  }

  @Test func `two devices that set a key apart keep the later write, on one record`() throws {
    let clock = ManualClock()
    try withTemporaryStore(schema: Self.schema, clock: clock.wallClock) { phone in
      try withTemporaryStore(schema: Self.schema, clock: clock.wallClock) { laptop in
        let onPhone = try KeyValueStore(suiteName: "test", store: phone)
        let onLaptop = try KeyValueStore(suiteName: "test", store: laptop)
        try onPhone.set("phone", forKey: "a")
        clock.advance(byMilliseconds: 10)
        try onLaptop.set(2, forKey: "a")
        try onPhone.set("phone", forKey: "b")
        clock.advance(byMilliseconds: 10)
        try onLaptop.set("laptop", forKey: "b")
        try onLaptop.removeObject(forKey: "b")
        try exchange(phone, laptop)
        #expect(try onPhone.dictionaryRepresentation() == ["a": 2])
        #expect(try onLaptop.dictionaryRepresentation() == ["a": 2])
      }
    }
  }

  @Test func `two devices that add apart keep one sum, and a key for each device keeps both`() throws {
    let clock = ManualClock()
    try withTemporaryStore(schema: Self.schema, clock: clock.wallClock) { phone in
      try withTemporaryStore(schema: Self.schema, clock: clock.wallClock) { laptop in
        let onPhone = try KeyValueStore(suiteName: "test", store: phone)
        let onLaptop = try KeyValueStore(suiteName: "test", store: laptop)
        for (settings, name) in [(onPhone, "phone"), (onLaptop, "laptop")] {
          #expect(try settings.increment("starts", by: 2) == 2)
          #expect(try settings.increment("starts.\(name)", by: 2) == 2)
          clock.advance(byMilliseconds: 10)
        }
        try exchange(phone, laptop)
        for settings in [onPhone, onLaptop] {
          #expect(try settings.integer(forKey: "starts") == 2)
          let parts = try settings.dictionaryRepresentation(prefix: "starts.")
          #expect(parts.values.compactMap(\.integerValue).reduce(0, +) == 4)
        }
      }
    }
  }

  @Test func `a merge is told as another device's`() async throws {
    let (phone, laptop) = (try TemporaryStore(schema: Self.schema), try TemporaryStore(schema: Self.schema))
    let changes = try KeyValueStore(suiteName: "test", store: laptop.store).changes
    try KeyValueStore(suiteName: "test", store: phone.store).set(1, forKey: "a")
    try exchange(phone.store, laptop.store)
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    #expect(change == KeyValueChange(keys: ["a"], origin: .anotherDevice))
    #expect(change?.isExternal == true)
    try phone.check()
    try laptop.check()
  }

  /// Gives each store the other's transactions.
  private func exchange(_ left: RecordStore, _ right: RecordStore) throws {
    let (fromLeft, fromRight) = (try outgoing(left), try outgoing(right))
    for facts in fromRight { _ = try left.commit(.merging([facts])) }
    for facts in fromLeft { _ = try right.commit(.merging([facts])) }
  }

  private func outgoing(_ store: RecordStore) throws -> [TransactionFacts] {
    try store.read { snapshot in
      var all: [TransactionFacts] = []
      try snapshot.forEachOutgoing(after: 0) { transaction in
        all.append(try TransactionCodec.decode(transaction.encoded) { _, _ in .string })
        return true
      }
      return all
    }
  }
}
