import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

private enum HutV1 {
  @Model final class Hut {
    var name: String
    var beds: [Bed] = []
    init(name: String) { self.name = name }
  }
  @Model final class Bed {
    var number: Int
    init(number: Int) { self.number = number }
  }
}

private enum HutV2 {
  @Model final class Hut {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Bed.hut) var beds: [Bed] = []
    init(name: String) { self.name = name }
  }
  @Model final class Bed {
    var number: Int
    var hut: Hut
    init(number: Int, hut: Hut) { (self.number, self.hut) = (number, hut) }
  }
}

/// A relationship whose links are in the store gets an inverse that nothing may be without.
struct RequiredInverseTests {
  private func migrate(_ fill: (ModelContext) throws -> Void, _ check: (() throws -> ModelContainer) throws -> Void)
    throws
  {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appending(path: "huts.store"))
    do {
      let first = try ModelContainer(
        for: Schema([HutV1.Hut.self, HutV1.Bed.self]), configurations: configuration)
      let context = ModelContext(first)
      try fill(context)
      try context.save()
    }
    try check {
      try ModelContainer(for: Schema([HutV2.Hut.self, HutV2.Bed.self]), configurations: configuration)
    }
  }

  @Test func `a required inverse is filled from the links that are there`() throws {
    try migrate { context in
      for name in ["east", "west"] {
        let hut = HutV1.Hut(name: name)
        context.insert(hut)
        hut.beds = (1...3).map { HutV1.Bed(number: $0) }
      }
    } _: { open in
      let container = try open()
      let context = ModelContext(container)
      let beds = try context.fetch(FetchDescriptor<HutV2.Bed>())
      #expect(beds.count == 6 && Set(beds.map(\.hut.name)) == ["east", "west"])
      let huts = try context.fetch(FetchDescriptor<HutV2.Hut>())
      #expect(huts.map { $0.beds.map(\.number).sorted() } == [[1, 2, 3], [1, 2, 3]])
      #expect(try container.store.integrityViolations() == [])
      context.delete(huts[0])
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<HutV2.Bed>()) == 3)
    }
  }

  @Test func `a required inverse is refused where a record has no link, and the store stays as it was`() throws {
    try migrate { context in
      let hut = HutV1.Hut(name: "east")
      context.insert(hut)
      hut.beds = [HutV1.Bed(number: 1)]
      context.insert(HutV1.Bed(number: 2))
    } _: { open in
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(
        error?.code == .incompatibleSchema && error?.message.contains("Bed.hut") ?? false,
        "\(String(describing: error))")
    }
  }
}
