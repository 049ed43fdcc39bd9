import Foundation
import RecordStore
import RecordSync
import Tandem
import Testing

private enum Old {
  @Model class Route {
    @Attribute(.unique) var name: String
    var length: Double = 1
    @Relationship(deleteRule: .cascade, inverse: \Sign.route) var signs: [Sign] = []
    init(name: String) { self.name = name }
  }
  @Model final class Sign {
    var text: String
    var route: Route?
    init(text: String) { self.text = text }
  }
}

private enum New {
  @Model class Route {
    @Attribute(.unique) var name: String
    var length: Double = 1
    @Relationship(deleteRule: .cascade, inverse: \Sign.route) var signs: [Sign] = []
    init(name: String) { self.name = name }
  }
  @Model final class Sign {
    var text: String
    var route: Route?
    init(text: String) { self.text = text }
  }
  @Model class Trail: Route {
    var grade: Int
    var warnings: [String] = []
    var start: Sign?
    init(name: String, grade: Int) {
      self.grade = grade
      super.init(name: name)
    }
  }
  @Model final class Ferrata: Trail {
    var cables: Int = 4
    override init(name: String, grade: Int) { super.init(name: name, grade: grade) }
  }
}

/// Two devices, of which one does not know the subclasses.
struct InheritanceSyncTests {
  private func withDevices(
    _ body: (_ new: ModelContainer, _ old: ModelContainer, _ sync: () async throws -> Void) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-routes-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    func container(_ device: String, _ types: [any PersistentModel.Type]) throws -> ModelContainer {
      let store = folder.appending(path: "\(device)/routes/routes.store")
      try FileManager.default.createDirectory(at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
      return try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: store)])
    }
    let new = try container("new", [New.Ferrata.self])
    let old = try container("old", [Old.Route.self])
    let devices = try ["new", "old"].map { try DeviceDirectory(folder.appending(path: $0)) }
    try await body(new, old) { _ = try await DeviceSync().synchronize(devices[0], devices[1]) }
    for container in [new, old] { #expect(try container.store.integrityViolations() == []) }
  }

  private func routes(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<New.Route>(sortBy: [SortDescriptor(\.name)])).map { route in
      let own = (route as? New.Trail).map { " grade \($0.grade) \($0.warnings) \($0.start?.text ?? "-")" } ?? ""
      return "\(type(of: route)) \(route.name) \(route.length)\(own)"
    }
  }

  @Test func `a device without the subclasses shows and edits their objects, and loses nothing`() async throws {
    try await withDevices { new, old, sync in
      let context = ModelContext(new)
      context.insert(New.Route(name: "road"))
      let trail = New.Trail(name: "ridge", grade: 3)
      trail.warnings = ["ice"]
      trail.signs = [New.Sign(text: "up")]
      trail.start = trail.signs[0]
      context.insert(trail)
      context.insert(New.Ferrata(name: "wall", grade: 5))
      try context.save()
      try await sync()

      let there = ModelContext(old)
      let all = try there.fetch(FetchDescriptor<Old.Route>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.name) == ["ridge", "road", "wall"] && all[0].signs.map(\.text) == ["up"])
      all[0].length = 12
      all[2].name = "north wall"
      there.delete(all[1])
      there.insert(Old.Route(name: "street"))
      try there.save()
      trail.grade = 4
      try context.save()
      try await sync()
      try await sync()
      #expect(
        try routes(new) == [
          "Ferrata north wall 1.0 grade 5 [] -", "Trail ridge 12.0 grade 4 [\"ice\"] up", "Route street 1.0",
        ])
      #expect(try routes(old: old) == ["north wall 1.0", "ridge 12.0", "street 1.0"])
    }
  }

  private func routes(old container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Old.Route>(sortBy: [SortDescriptor(\.name)]))
      .map { "\($0.name) \($0.length)" }
  }

  @Test func `objects of two classes that share a unique value become one of the subclass`() async throws {
    for newFirst in [true, false] {
      try await withDevices { new, old, sync in
        let (context, there) = (ModelContext(new), ModelContext(old))
        func saveNew() throws {
          context.insert(New.Trail(name: "ridge", grade: 3))
          try context.save()
        }
        if newFirst { try saveNew() }
        let plain = Old.Route(name: "ridge")
        plain.length = 7
        there.insert(plain)
        try there.save()
        if !newFirst { try saveNew() }
        try await sync()
        try await sync()
        let length = newFirst ? "7.0" : "1.0"
        #expect(try routes(new) == ["Trail ridge \(length) grade 3 [] -"])
        #expect(try routes(old: old) == ["ridge \(length)"])
      }
    }
  }

  @Test func `a context shows an object that became one of a subclass as that`() async throws {
    try await withDevices { new, _, _ in
      let context = ModelContext(new)
      let plain = New.Route(name: "ridge")
      context.insert(plain)
      try context.save()
      let other = ModelContext(new)
      other.insert(New.Ferrata(name: "ridge", grade: 6))
      try other.save()
      let found = try context.fetch(FetchDescriptor<New.Route>())
      #expect(found.count == 1 && (found[0] as? New.Ferrata)?.grade == 6)
      // The object that the app holds shows the same values, as one of its own class.
      #expect(!plain.isDeleted && plain.persistentModelID == found[0].persistentModelID)
      found[0].length = 9
      try context.save()
      #expect(plain.length == 9)
    }
  }

  @Test func `what was not saved outlasts a change of the object's class`() async throws {
    try await withDevices { new, _, _ in
      let context = ModelContext(new)
      let (edited, deleted) = (New.Route(name: "ridge"), New.Route(name: "pass"))
      for route in [edited, deleted] { context.insert(route) }
      try context.save()
      edited.length = 5
      context.delete(deleted)
      let other = ModelContext(new)
      for name in ["ridge", "pass"] { other.insert(New.Trail(name: name, grade: 6)) }
      try other.save()
      context.processPendingChanges()
      #expect(edited.length == 5 && context.hasChanges && deleted.isDeleted)
      let found = try context.fetch(FetchDescriptor<New.Trail>())
      #expect(found.map(\.length) == [5] && found.map(\.grade) == [6])
      try context.save()
      #expect(try routes(new) == ["Trail ridge 5.0 grade 6 [] -"])
    }
  }

  @Test func `records hold nothing of classes that their objects are not of`() async throws {
    try await withDevices { new, old, sync in
      let context = ModelContext(new)
      context.insert(New.Route(name: "road"))
      context.insert(New.Ferrata(name: "wall", grade: 5))
      try context.save()
      try await sync()
      for container in [new, old] {
        try container.store.read { snapshot in
          let entity = try #require(snapshot.catalogue.entity(named: "Route"))
          let images = try snapshot.fetch(
            RecordQuery(entity: entity.number, sort: [.init(FieldPath(entity.field(named: "name")?.ordinal ?? -1))]))
          let written = images.map { image in
            entity.fields.filter { field in image.withView { $0.isWritten(at: field.ordinal) } }.map(\.name)
          }
          #expect(Set(written[0]) == ["name", "length"])
          #expect(
            Set(written[1]) == [
              "name", "length", ".class", "Trail.grade", "Trail.warnings", "Ferrata.cables",
            ])
          #expect(snapshot.catalogue.entity(named: "Trail") == nil)
        }
      }
    }
  }
}
