import SwiftData
import Testing

/// Migration plans as an app uses them.
struct MigrationTests {
  private func entries(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<JournalV2.Entry>(sortBy: [SortDescriptor(\.title)]))
      .map { "\($0.title) \($0.body) \($0.rating) \($0.mood) \($0.isPinned)" }
  }

  @Test func `a custom stage sees the old models first and the new ones afterwards`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"), ("b", "two", "good"))
      let context = try place.open(JournalV2.self, plan: JournalPlan.self)
      #expect(try entries(context) == ["a one 4 calm false", "b two (rated good) 0 calm false"])
      let tagged = try context.fetch(FetchDescriptor<JournalV2.Entry>())
      #expect(tagged.flatMap(\.tags).map(\.name) == ["home"], "the last owner of a label has it")
      #expect(try context.fetchCount(FetchDescriptor<JournalV2.Entry>(predicate: #Predicate { $0.rating == 4 })) == 1)
    }
  }

  @Test func `a chain of stages leads from any version to the newest`() throws {
    for start in 1...3 {
      try JournalPlace.with { place throws in
        try place.fill(("a", "one", "4"), ("b", "two", "5"))
        if start > 1 { _ = try place.open(JournalV2.self, plan: JournalPlan.self) }
        if start > 2 { _ = try place.open(JournalV3.self, plan: JournalPlan.self) }
        let context = try place.open(JournalV3.self, plan: JournalPlan.self)
        let found = try context.fetch(FetchDescriptor<JournalV3.Entry>(sortBy: [SortDescriptor(\.title)]))
        #expect(found.map { "\($0.title) \($0.body) \($0.rating)" } == ["a one 4", "b two 5"])
      }
    }
  }

  @Test func `a container that names classes instead of a version takes the version that has them`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      let container = try ModelContainer(
        for: JournalV3.Entry.self, JournalV3.Label.self, migrationPlan: JournalPlan.self,
        configurations: ModelConfiguration(url: place.url))
      let found = try ModelContext(container).fetch(FetchDescriptor<JournalV3.Entry>())
      #expect(found.map(\.rating) == [4])
      // The store is one of the third version now, so the plan has nothing to do.
      _ = try place.open(JournalV3.self, plan: JournalPlan.self)
    }
  }

  @Test func `a plan alone says which models a container has`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      let configuration = ModelConfiguration(url: place.url)
      let container = try ModelContainer(migrationPlan: JournalPlan.self, configurations: configuration)
      #expect(container.schema == Schema(versionedSchema: JournalV3.self))
      #expect(try ModelContext(container).fetch(FetchDescriptor<JournalV3.Entry>()).map(\.rating) == [4])
      // Without a plan there is no version to be older than the store's.
      #expect(try ModelContainer(configurations: configuration).schema.entities.isEmpty)
      let again = try ModelContainer(migrationPlan: JournalPlan.self, configurations: configuration)
      #expect(try ModelContext(again).fetchCount(FetchDescriptor<JournalV3.Label>()) == 1)
    }
  }

  @Test func `a stage that throws leaves the store as it was, for the next attempt`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      #expect(throws: JournalPlan.Failure.self) {
        _ = try place.open(JournalV2.self, plan: FailingPlan.self)
      }
      let old = try place.open(JournalV1.self).fetch(FetchDescriptor<JournalV1.Entry>())
      #expect(old.map { "\($0.title) \($0.text) \($0.rating)" } == ["a one 4"])
      #expect(try entries(try place.open(JournalV2.self, plan: JournalPlan.self)) == ["a one 4 calm false"])
    }
  }

  @Test func `an older app is refused with both versions named`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      _ = try place.open(JournalV3.self, plan: JournalPlan.self)
      #expect {
        _ = try place.open(JournalV1.self, plan: JournalPlan.self)
      } throws: { error in
        SwiftDataError.backwardMigration ~= error && "\(error)".contains("3.0.0") && "\(error)".contains("1.0.0")
      }
      // All that the second version declares is there, and no stage of the app's ran since.
      #expect(try entries(try place.open(JournalV2.self, plan: JournalPlan.self)) == ["a one 4 calm false"])
    }
  }

  /// As an app tries a downgrade out: the way back is a stage like any other.
  @Test func `a stage back is done, and the way forth again`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"), ("b", "two", "5"))
      do {
        let context = try place.open(JournalV2.self, plan: JournalPlan.self)
        let entry = JournalV2.Entry(title: "c", body: "three", rating: 7)
        context.insert(entry)
        entry.tags = [JournalV2.Label(name: "work")]
        for entry in try context.fetch(FetchDescriptor<JournalV2.Entry>()) where entry.title == "a" { entry.rating = 9 }
        try context.save()
      }
      func old(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<JournalV1.Entry>(sortBy: [SortDescriptor(\.title)]))
          .map { "\($0.title) \($0.text) \($0.rating) \($0.color) \($0.labels.map(\.name))" }
      }
      let expected = ["a one 9 red []", #"b two 5 red ["home"]"#, #"c three 7 red ["work"]"#]
      // Without the stage it is refused, as ever.
      #expect {
        _ = try place.open(JournalV1.self, plan: JournalPlan.self)
      } throws: { SwiftDataError.backwardMigration ~= $0 }
      let found = try old(try place.open(JournalV1.self, plan: BothWaysPlan.self))
      #expect(found == expected)
      // The store is one of the first version now: for code that knows no plan, and for a second opening.
      #expect(try old(try place.open(JournalV1.self)) == expected)
      #expect(try old(try place.open(JournalV1.self, plan: BothWaysPlan.self)) == expected)
      let back = try place.open(JournalV1.self, plan: BothWaysPlan.self)
      for entry in try back.fetch(FetchDescriptor<JournalV1.Entry>()) where entry.title == "b" { entry.rating = "3" }
      try back.save()
      // What the store had of the second version before is no reason to leave out what the stage makes of the edit.
      let again = try place.open(JournalV2.self, plan: BothWaysPlan.self)
      #expect(try entries(again) == ["a one 9 calm false", "b two 3 calm false", "c three 7 calm false"])
    }
  }

  @Test func `a lightweight stage back needs no code`() throws {
    try JournalPlace.with { place throws in
      let context = try place.open(JournalV3.self, plan: ThirdBackPlan.self)
      context.insert(JournalV3.Entry(title: "a", body: "one", rating: 4))
      try context.save()
      #expect(try entries(try place.open(JournalV2.self, plan: ThirdBackPlan.self)) == ["a one 4 calm false"])
      // Titles are unique no more.
      let second = try place.open(JournalV2.self)
      second.insert(JournalV2.Entry(title: "a", body: "two", rating: 5))
      try second.save()
      #expect(try second.fetchCount(FetchDescriptor<JournalV2.Entry>()) == 2)
    }
  }

  @Test func `another type without a stage is refused, and names entity, property and remedy`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      #expect {
        _ = try place.open(JournalV2.self)
      } throws: { error in
        SwiftDataError.loadIssueModelContainer ~= error && "\(error)".contains("Entry.rating")
          && "\(error)".contains("stage")
      }
      #expect(try place.open(JournalV1.self).fetchCount(FetchDescriptor<JournalV1.Entry>()) == 1)
    }
  }

  @Test func `plans that contradict themselves are refused`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      for plan in [CirclePlan.self, StrangePlan.self, TwinPlan.self] as [any SchemaMigrationPlan.Type] {
        let refusal = #expect(throws: SwiftDataError.self) { _ = try place.open(JournalV2.self, plan: plan) }
        #expect(refusal?.code == .unsupportedSchema, "\(plan)")
      }
    }
  }

  @Test func `objects that share what becomes unique are one afterwards`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"), ("a", "two", "5"), ("b", "three", "1"))
      let context = try place.open(JournalV3.self, plan: JournalPlan.self)
      let found = try context.fetch(FetchDescriptor<JournalV3.Entry>(sortBy: [SortDescriptor(\.title)]))
      #expect(found.map { "\($0.title) \($0.body) \($0.rating)" } == ["a two 5", "b three 1"])
    }
  }

  @Test func `a context of an old version gets an error after the migration, and harms nothing`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      let old = try place.open(JournalV1.self)
      let entry = try #require(try old.fetch(FetchDescriptor<JournalV1.Entry>()).first)
      let new = try place.open(JournalV2.self, plan: JournalPlan.self)
      let refusal = #expect(throws: SwiftDataError.self) { try old.fetch(FetchDescriptor<JournalV1.Entry>()) }
      #expect(refusal?.code == .backwardMigration)
      entry.text = "changed"
      #expect {
        try old.save()
      } throws: { SwiftDataError.backwardMigration ~= $0 }
      #expect(try entries(new) == ["a one 4 calm false"])
    }
  }
}

private enum FailingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: JournalV1.self, toVersion: JournalV2.self,
        willMigrate: { context in
          for entry in try context.fetch(FetchDescriptor<JournalV1.Entry>()) { entry.text = "spoilt" }
          try context.save()
        }, didMigrate: { _ in throw JournalPlan.Failure() })
    ]
  }
}

private enum BothWaysPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self] }
  static var stages: [MigrationStage] { [JournalPlan.toV2, toV1] }

  private nonisolated(unsafe) static var ratings: [String: Int] = [:]
  private static let toV1 = MigrationStage.custom(
    fromVersion: JournalV2.self, toVersion: JournalV1.self,
    willMigrate: { context in
      let entries = try context.fetch(FetchDescriptor<JournalV2.Entry>())
      ratings = Dictionary(uniqueKeysWithValues: entries.map { ($0.title, $0.rating) })
    },
    didMigrate: { context in
      for entry in try context.fetch(FetchDescriptor<JournalV1.Entry>()) {
        entry.rating = String(ratings[entry.title] ?? 0)
      }
    })
}

private enum ThirdBackPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV2.self, JournalV3.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: JournalV3.self, toVersion: JournalV2.self)] }
}

private enum CirclePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: JournalV2.self, toVersion: JournalV2.self)] }
}

private enum StrangePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: JournalV1.self, toVersion: JournalV3.self)] }
}

private enum TwinPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV1.self, JournalV2.self] }
  static var stages: [MigrationStage] { [] }
}
