import SwiftData
import Testing

/// Whatever a container or a context throws is a `SwiftDataError`, as code that was written for SwiftData expects.
@MainActor
@Suite struct ErrorTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  /// The error of a body, as `catch let error as SwiftDataError` gives it.
  private func thrown(by body: () throws -> Void) -> SwiftDataError? {
    do {
      try body()
    } catch let error as SwiftDataError {
      return error
    } catch {
      Issue.record("not a SwiftDataError: \(error)")
    }
    return nil
  }

  @Test func `a save that breaks a rule of the schema throws a SwiftDataError with a sentence, a code and a cause`()
    throws
  {
    let context = try makeContainer().mainContext
    let traveler = Traveler(email: "o@example.com", firstName: "Olena")
    traveler.passport = Passport(number: "1")
    context.insert(traveler)
    try context.save()
    context.delete(traveler)
    let error = try #require(thrown(by: context.save))
    #expect(error == .modelValidationFailure && error.code == .deleteDenied && error.cause == nil)
    #expect(error.localizedDescription == error.message && error.message.contains("Traveler"))
    #expect("\(error)" == error.message && (error as any Error).localizedDescription == error.message)
    #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .deleteDenied)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    do {
      try context.save()
    } catch is SwiftDataError {
    } catch {
      Issue.record("not a SwiftDataError: \(error)")
    }
    context.rollback()
  }

  @Test func `a container that cannot be opened throws a load issue, whatever keeps it`() throws {
    try withFolder { folder in
      let missing = ModelConfiguration(url: folder.appending(path: "missing.store"), allowsSave: false)
      let text = folder.appending(path: "text.store")
      try Data("not a store".utf8).write(to: text)
      let below = ModelConfiguration(url: text.appending(path: "below.store"))
      for configuration in [missing, ModelConfiguration(url: text), below] {
        let error = thrown { _ = try ModelContainer(for: Trip.self, configurations: configuration) }
        #expect(error == .loadIssueModelContainer, "\(configuration.url.lastPathComponent)")
        #expect(error?.localizedDescription.contains(folder.lastPathComponent) == true)
      }
    }
  }

  @Test func `errors are matched by name in every way that Swift has`() throws {
    let context = try ModelContainer(
      for: Passport.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    ).mainContext
    let error = try #require(thrown { _ = try context.fetch(FetchDescriptor<Trip>()) })
    #expect(error == .unknownSchema && error != .unsupportedPredicate)
    switch error {
    case .unsupportedPredicate: Issue.record("another name matches")
    case .unknownSchema: break
    default: Issue.record("its own name does not match")
    }
    do {
      _ = try context.fetch(FetchDescriptor<Trip>())
    } catch SwiftDataError.unsupportedPredicate {
      Issue.record("another name matches")
    } catch SwiftDataError.unknownSchema {
    }
    #expect(Set([error, .unknownSchema, .unsupportedKeyPath]).count == 2)
  }

  @Test func `an older app's error has both names that it may be expected by`() {
    let older = SwiftDataError(.backwardMigration, "older")
    #expect(older == .backwardMigration && older != .loadIssueModelContainer)
    #expect(SwiftDataError.backwardMigration ~= older && SwiftDataError.loadIssueModelContainer ~= older)
    #expect(!(SwiftDataError.unknownSchema ~= older) && !(SwiftDataError.backwardMigration ~= CancellationError()))
  }

  @Test func `fetches, counts, saves and histories throw nothing else`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      let writer = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url)).mainContext
      writer.insert(Trip(code: "A1", name: "a", destination: "d", start: .day(1)))
      try writer.save()
      var negative = FetchDescriptor<Trip>()
      negative.fetchLimit = -1
      #expect(thrown { _ = try writer.fetch(negative) } != nil)
      #expect(thrown { _ = try writer.fetchCount(negative) } != nil)
      #expect(thrown { _ = try writer.fetchIdentifiers(negative) } != nil)
      #expect(thrown { try writer.enumerate(negative) { _ in } } != nil)
      #expect(thrown { try writer.transaction(once: "") {} } != nil)
      let reader = ModelContext(
        try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url, allowsSave: false)))
      reader.insert(Trip(code: "A2", name: "a", destination: "d", start: .day(1)))
      #expect(thrown(by: reader.save) != nil)
      #expect(thrown { try writer.container.backup(to: url) } != nil)
    }
  }
}
