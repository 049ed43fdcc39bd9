import Foundation
import HelperProcess
import Observation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import Tandem

private enum Theme: String, KeyValueConvertible, Sendable { case light, dark }

private struct Window: Codable, Equatable, Sendable {
  var width = 1.0
  var tabs: [String] = []
}

/// Typed keys and properties that are kept.
@Suite struct StoredTests {
  private static let schema = StoreSchema(entities: []).addingKeyValues()

  private struct Preferences {
    @Stored var theme: Theme
    @Stored var columns: Int
    @Stored var name: String?
    @Stored var window: Window

    init(_ store: KeyValueStore) {
      _theme = Stored(StoredKey("theme", default: .light), in: store)
      _columns = Stored(StoredKey("columns", default: 2), in: store)
      _name = Stored(StoredKey("name"), in: store)
      _window = Stored(StoredKey(encoding: "window", default: Window()), in: store)
    }
  }

  @Test func `a property reads and writes its key, and reads as its default without one`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      let preferences = Preferences(settings)
      #expect(preferences.theme == .light && preferences.columns == 2 && preferences.name == nil)
      #expect(preferences.window == Window())
      preferences.theme = .dark
      preferences.columns += 1
      preferences.name = "Ada"
      preferences.window.tabs.append("a/b")
      #expect(
        try settings.dictionaryRepresentation() == [
          "theme": "dark", "columns": 3, "name": "Ada", "window": .encoded(#"{"tabs":["a/b"],"width":1}"#),
        ])
      #expect(Preferences(settings).window == Window(tabs: ["a/b"]))
      preferences.name = nil
      try preferences.$columns.remove()
      try preferences.$theme.set(.light)
      #expect(try settings.dictionaryRepresentation(prefix: "n").isEmpty)
      #expect(preferences.columns == 2 && preferences.theme == .light)
      // Nothing that fits.
      try settings.set("purple", forKey: "theme")
      try settings.set([1], forKey: "columns")
      try settings.set("x", forKey: "window")
      #expect(preferences.theme == .light && preferences.columns == 2 && preferences.window == Window())
      try settings.set("7", forKey: "columns")
      #expect(preferences.columns == 7)
    }
  }

  @Test func `typed keys read with their default, throwing or not`() throws {
    let size = StoredKey("size", default: 12.5)
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      #expect(try settings[size] == 12.5 && settings.value(for: size) == 12.5 && settings["size", default: 3] == 3)
      settings.register(defaults: ["size": 8])
      #expect(settings[size] == 8)
      try settings.set(9, for: size)
      #expect(settings[size] == 9 && settings["size", default: 3] == 9 && settings["size", default: false])
      #expect(settings["size", default: [1]] == [1])
      try settings.transaction { edit in try edit.set(10, for: size) }
      #expect(settings[size] == 10)
      try settings.remove(size)
      #expect(settings[size] == 8)
    }
  }

  @Test(arguments: [KeyValue.bool(true), 3, 2.5, "x", [1, "a"], ["a": [true]], .date(Date(timeIntervalSince1970: 1))])
  func `a value that is taken comes back as its type`(value: KeyValue) {
    func expectSame<Value: KeyValueConvertible & Equatable>(_ value: Value) {
      #expect(Value(keyValue: value.keyValue) == value)
    }
    expectSame(value)
    switch value {
    case .bool(let value): expectSame(value)
    case .integer(let value): expectSame(value)
    case .double(let value): expectSame(value)
    case .string(let value): expectSame(value)
    case .date(let value): expectSame(value)
    case .array(let value): expectSame(value)
    case .dictionary(let value): expectSame(value)
    default: Issue.record("no such argument")
    }
    #expect([Int](keyValue: [1, [2]]) == nil && [String: Int](keyValue: ["a": [1]]) == nil)
    #expect(URL(keyValue: "x") == nil && Data(keyValue: "x") == nil && Date(keyValue: 3) == nil)
  }

  @Test func `an assignment that cannot be saved is posted, and the property keeps what is stored`() throws {
    let temporary = try TemporaryStore(schema: Self.schema)
    try KeyValueStore(suiteName: "test", store: temporary.store).set("dark", forKey: "theme")
    let reading = try KeyValueStore(
      suiteName: "test", configuration: StoreConfiguration(url: temporary.store.url, isReadOnly: true))
    let preferences = Preferences(reading)
    let posted = Mutex<[String]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: KeyValueStore.didFailToSetNotification, object: preferences.$theme, queue: nil
    ) { notification in
      let error = notification.userInfo?[KeyValueStore.errorKey] as? StoreError
      let key = notification.userInfo?[KeyValueStore.failedKeyKey] as? String
      posted.withLock { $0.append("\(key ?? "") \(error?.code == .readOnly)") }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    preferences.theme = .light
    #expect(posted.withLock { $0 } == ["theme true"])
    #expect(preferences.theme == .dark)
    expectError(.readOnly) { try preferences.$theme.set(.light) }
  }

  @Test func `a suite that cannot be opened reads as defaults, and is opened once it can be`() throws {
    let temporary = try TemporaryStore(schema: Self.schema)
    let isOpen = Mutex(false)
    let value = StoredValue(StoredKey("theme", default: Theme.light)) {
      guard isOpen.withLock({ $0 }) else { throw StoreError(.diskFull, "the disk is full") }
      return try KeyValueStore(suiteName: "test", store: temporary.store)
    }
    #expect(value.value == .light)
    expectError(.diskFull) { try value.set(.dark) }
    isOpen.withLock { $0 = true }
    try value.set(.dark)
    #expect(value.value == .dark)
  }

  @Test func `observers hear of a change by another process, and of no other key's`() async throws {
    let temporary = try TemporaryStore(schema: Self.schema)
    let settings = try KeyValueStore(suiteName: "test", store: temporary.store)
    let greeting = StoredValue(StoredKey("greeting", default: "")) { settings }
    let (heard, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      #expect(greeting.value == "")
    } onChange: {
      continuation.yield()
    }
    var values = try greeting.values.makeAsyncIterator()
    #expect(await values.next() == "")
    try settings.set(1, forKey: "other")
    let setter = try HelperProcess(
      arguments: [temporary.store.url.path, "set", "greeting", "hello"], program: "key-value-test-helper")
    try setter.expect("done")
    var hearing = heard.makeAsyncIterator()
    await hearing.next()
    #expect(greeting.value == "hello")
    #expect(await values.next() == "hello")
    try settings.removeObject(forKey: "greeting")
    #expect(await values.next() == "")
    try temporary.check()
  }

  @Test func `a value that nobody holds any more follows nothing`() throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let settings = try KeyValueStore(suiteName: "test", store: store)
      weak var gone: StoredValue<Int>?
      do {
        let value = StoredValue(StoredKey("a", default: 1)) { settings }
        #expect(value.value == 1)
        gone = value
      }
      #expect(gone == nil)
    }
  }
}
