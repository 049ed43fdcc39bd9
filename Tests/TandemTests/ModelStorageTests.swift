import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

/// A superclass that is no model, whose initialiser makes a model's object while another model's is still at work.
private class Paper {
  let seal: WaxSeal
  init() {
    let values = ModelBackingData(for: WaxSeal.self)
    values.setValue(forKey: \.color, to: "red")
    seal = WaxSeal(backingData: values)
  }
}

@Model private final class Letter: Paper {
  var text: String
  init(text: String) {
    self.text = text
    super.init()
  }
}

@Model private final class WaxSeal {
  var color: String
  init(color: String) { self.color = color }
}

/// The bytes of an object's record lie behind its storage, and later ones beside it.
struct ModelStorageTests {
  @Test func `an object takes bytes of any length that others save, and goes with all of them`() async throws {
    try await withContainer { container in
      let writer = ModelContext(container)
      let written = Trip(code: "a", name: "first")
      writer.insert(written)
      try writer.save()
      weak var freed: ModelStorage?
      do {
        let reader = ModelContext(container)
        let trip = try #require(try reader.fetch(FetchDescriptor<Trip>()).first)
        #expect(trip.name == "first")
        for length in [0, 1, 15, 16, 200, 5_000, 3] {
          written.name = String(repeating: "é", count: length)
          written.price = Decimal(length)
          try writer.save()
          reader.processPendingChanges()
          #expect(trip.name == written.name)
          #expect(trip.price == written.price)
          #expect(trip.code == "a")
        }
        freed = trip._$storage
        #expect(freed != nil)
      }
      #expect(freed == nil)
    }
  }

  @Test func `an object holds its storage alone`() async throws {
    try await withContainer { container in
      weak var fetched: ModelStorage?
      weak var made: ModelStorage?
      weak var absent: ModelStorage?
      do {
        let context = ModelContext(container)
        context.insert(Trip(code: "a"))
        try context.save()
        let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Trip>()).first)
        fetched = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)._$storage
        #expect(fetched == nil)
        let trip = Trip(code: "b")
        made = trip._$storage
        #expect(made != nil)
        context.delete(try #require(context.existingModel(for: identifier) as? Trip))
        try context.save()
        let gone = ModelContext(container).model(for: identifier)
        #expect(gone.isDeleted)
        absent = gone._$storage
        #expect(absent != nil)
      }
      #expect(made == nil)
      #expect(absent == nil)
    }
  }

  @Test func `an object that an initialiser makes on the way has its own values`() {
    let letter = Letter(text: "a")
    #expect(letter.seal.color == "red")
    let fetched = Adoption.make(Letter.self, around: letter._$storage)
    #expect(fetched._$storage === letter._$storage)
    #expect(fetched.seal.color == "red")
    #expect(fetched.seal._$storage !== fetched._$storage)
  }

  @Test func `a fetch refuses a record whose bytes changed on the disk`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appending(path: "test.store"))
    func container() throws -> ModelContainer {
      try ModelContainer(for: Schema(tripTypes), configurations: [configuration])
    }
    do {
      let context = ModelContext(try container())
      context.insert(Trip(code: "a", name: "before the damage"))
      try context.save()
    }
    let file = configuration.url.appending(path: "data.mdb")
    var bytes = try Data(contentsOf: file)
    let (name, other) = (Data("before the damage".utf8), Data("behind the damage".utf8))
    while let place = bytes.range(of: name) { bytes.replaceSubrange(place, with: other) }
    try bytes.overwrite(file)
    let context = ModelContext(try container())
    let error = #expect(throws: StoreError.self) { try context.fetch(FetchDescriptor<Trip>()) }
    #expect(error?.code == .damaged)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
