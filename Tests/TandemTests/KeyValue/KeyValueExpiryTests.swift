import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

/// Values that end, values that depend on what is there, and many keys at once.
@Suite struct KeyValueExpiryTests {
  private static let schema = StoreSchema(entities: []).addingKeyValues()

  private func withSettings(_ body: (KeyValueStore, ManualClock) throws -> Void) throws {
    let clock = ManualClock()
    try withTemporaryStore(schema: Self.schema, clock: clock.wallClock) { store in
      try body(try KeyValueStore(suiteName: "test", store: store), clock)
    }
  }

  @Test func `a value ends at its moment, by the clock of the device, and nothing is deleted by that`() throws {
    try withSettings { settings, clock in
      settings.register(defaults: ["token": "none"])
      let end = settings.now.addingTimeInterval(10)
      try settings.set("t", forKey: "token", expiresAt: end)
      #expect(try settings.expiry(forKey: "token") == end)
      clock.advance(byMilliseconds: 9999)
      #expect(try settings.string(forKey: "token") == "t")
      clock.advance()
      #expect(try settings.string(forKey: "token") == "none")
      #expect(try settings.dictionaryRepresentation() == ["token": "none"])
      #expect(try settings.expiry(forKey: "token") == nil)
      // The clock was wrong, and is put right.
      clock.milliseconds -= 10
      #expect(try settings.string(forKey: "token") == "t")
      // A value that is set anew stays.
      try settings.set("u", forKey: "token")
      clock.advance(byMilliseconds: 100_000)
      #expect(try settings.string(forKey: "token") == "u")
    }
  }

  @Test func `only what has expired is deleted for good`() throws {
    try withSettings { settings, clock in
      try settings.set(1, forKey: "ended", expiresAt: settings.now)
      try settings.set(2, forKey: "ends", expiresAt: settings.now.addingTimeInterval(1))
      try settings.set(3, forKey: "stays")
      #expect(try settings.removeExpired() == ["ended"])
      #expect(try settings.removeExpired().isEmpty)
      clock.milliseconds -= 1000
      #expect(try settings.dictionaryRepresentation() == ["ends": 2, "stays": 3])
    }
  }

  @Test func `value and end are one text, which a build without ends reads as no value`() throws {
    let content = KeyValueContent("x", expiresAt: Date(timeIntervalSinceReferenceDate: 1.5))
    let text = #"{"expiring":{"at":1.5,"value":{"string":"x"}}}"#
    #expect(try content.text == text)
    #expect(try KeyValueContent(text: text) == content)
    #expect(try KeyValueContent(text: #"{"integer":3}"#) == KeyValueContent(3))
    #expect(try KeyValueContent(3).text == KeyValue.integer(3).text)
    #expect(throws: DecodingError.self) { try KeyValue(text: text) }
    #expect(throws: DecodingError.self) { try KeyValueContent(text: #"{"expiring":{"at":1.5}}"#) }
  }

  @Test func `an end survives what is done to the value, but not a new one`() throws {
    try withSettings { settings, clock in
      let end = settings.now.addingTimeInterval(60)
      try settings.set(1, forKey: "tries", expiresAt: end)
      #expect(try settings.increment("tries", by: 2) == 3)
      #expect(try settings.expiry(forKey: "tries") == end)
      try settings.update("tries") { _ in 7 }
      #expect(try settings.expiry(forKey: "tries") == end)
      clock.advance(byMilliseconds: 60_000)
      #expect(try settings.increment("tries") == 1)
      #expect(try settings.expiry(forKey: "tries") == nil)
    }
  }

  @Test func `an increment counts from what was registered, and refuses what is no whole number`() throws {
    try withSettings { settings, _ in
      settings.register(defaults: ["lives": 3])
      #expect(try settings.increment("lives", by: -1) == 2)
      try settings.set(2.0, forKey: "whole")
      #expect(try settings.increment("whole") == 3)
      for value: KeyValue in [1.5, "1", true, [1]] {
        try settings.set(value, forKey: "other")
        let error = #expect(throws: StoreError.self) { try settings.increment("other") }
        #expect(error?.code == .invalidRequest)
        #expect(try settings.value(forKey: "other") == value)
      }
      try settings.set(Int.max, forKey: "large")
      expectError(.invalidRequest) { try settings.increment("large") }
      #expect(try settings.integer(forKey: "large") == .max)
    }
  }

  @Test func `a value is exchanged only for the one that was expected`() throws {
    try withSettings { settings, clock in
      #expect(
        try settings.compareAndSet("lock", expecting: nil, to: "ada", expiresAt: settings.now.addingTimeInterval(5)))
      #expect(try !settings.compareAndSet("lock", expecting: nil, to: "bob"))
      #expect(try !settings.compareAndSet("lock", expecting: "bob", to: nil))
      #expect(try settings.string(forKey: "lock") == "ada")
      clock.advance(byMilliseconds: 5000)
      #expect(try settings.compareAndSet("lock", expecting: nil, to: "bob"))
      #expect(try settings.compareAndSet("lock", expecting: "bob", to: nil))
      #expect(try settings.value(forKey: "lock") == nil)
      // Values of other kinds are other values.
      try settings.set(1, forKey: "one")
      #expect(try !settings.compareAndSet("one", expecting: true, to: false))
    }
  }

  @Test func `keys go by what they begin with, in the order of a transaction`() throws {
    try withSettings { settings, _ in
      try settings.set(1, forKey: "window.width")
      try settings.set(2, forKey: "window.height")
      try settings.set(3, forKey: "theme")
      #expect(
        try settings.dictionaryRepresentation(prefix: "window.").keys.sorted() == ["window.height", "window.width"])
      let other = try KeyValueStore(suiteName: "other", store: settings.store)
      try other.set(4, forKey: "window.width")
      try settings.transaction { edit in
        edit.set(5, forKey: "window.depth")
        edit.removeAll(prefix: "window.")
        edit.set(6, forKey: "window.width")
      }
      #expect(try settings.dictionaryRepresentation() == ["window.width": 6, "theme": 3])
      try settings.removeAll()
      #expect(try settings.dictionaryRepresentation().isEmpty)
      #expect(try other.dictionaryRepresentation() == ["window.width": 4])
      #expect(try KeyValueStore.suites(in: settings.store) == ["other": 1])
    }
  }

  @Test func `an export leaves nothing out in silence`() throws {
    try withSettings { settings, _ in
      try settings.set(Double.nan, forKey: "nan")
      try settings.set("ended", forKey: "ended", expiresAt: settings.now)
      try settings.set("t", forKey: "token", expiresAt: settings.now.addingTimeInterval(9.25))
      let export = try settings.exportJSON()
      let copy = try KeyValueStore(suiteName: "copy", store: settings.store)
      #expect(try copy.importJSON(export) == ["nan", "token"])
      #expect(try copy.exportJSON() == export)
      #expect(throws: DecodingError.self) { try copy.importJSON(Data("{\"a\":1}".utf8), replacing: true) }
      #expect(try copy.exportJSON() == export)

      // As a build to come might write it.
      let place = settings.place
      let later = [
        FieldWrite(place.suite.ordinal, .string("test")), FieldWrite(place.key.ordinal, .string("later")),
        FieldWrite(place.value.ordinal, .string(#"{"later":1}"#)),
      ]
      let id = KeyValueEntry.id(suite: "test", key: "later")
      _ = try settings.store.commit(SaveRequest(changes: [.insert(entity: place.entity, id: id, fields: later)]))
      #expect(try settings.value(forKey: "later") == nil)
      let error = #expect(throws: StoreError.self) { try settings.exportJSON() }
      #expect(error?.code == .newerFormat)
      try settings.removeAll()
      #expect(try settings.exportJSON() == Data("{}".utf8))
    }
  }
}
