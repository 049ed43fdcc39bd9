import Foundation
import Observation
import Synchronization
import Tandem
import TestSupport
import Testing

/// Looks at results and fetches from inside the callback of an observation, which runs before the change is whole.
struct ObserverLooksTests {
  private func observed(_ body: () -> Void, onChange: @escaping @Sendable () -> Void) {
    withObservationTracking(body, onChange: onChange)
  }

  /// `@unchecked Sendable` because the callback runs on the thread that makes the change.
  private final class Place: @unchecked Sendable {
    let context: ModelContext
    let observer: ResultsObserver<Note, Never>
    var looks = 0

    init(_ container: ModelContainer, _ descriptor: FetchDescriptor<Note>) throws {
      context = ModelContext(container)
      observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context, isolation: nil)
    }

    var texts: [String] { observer.results.map(\.text) }

    func look() {
      looks += 1
      _ = texts
    }

    func fetch() {
      looks += 1
      do {
        _ = try context.fetch(observer.fetchDescriptor)
      } catch {
        Issue.record(error)
      }
    }
  }

  private static var few: FetchDescriptor<Note> {
    FetchDescriptor(predicate: #Predicate { $0.number < 10 }, sortBy: [SortDescriptor(\.text)])
  }

  private static var limited: FetchDescriptor<Note> {
    var descriptor = few
    descriptor.fetchLimit = 3
    return descriptor
  }

  /// A look inside took the change for one that was shown already, and the results stayed as they were. Of changes by
  /// others, each look took them in anew, which told the observer again, until the stack was full.
  @Test(arguments: [false, true], [false, true])
  func `a look inside of an observation's callback loses no change`(isLimited: Bool, fetches: Bool) async throws {
    try await withContainer(for: [Note.self]) { container in
      let place = try Place(container, isLimited ? Self.limited : Self.few)
      let notes = ["a", "b", "c"].map { Note(text: $0) }
      func watched(_ change: () throws -> Void) rethrows {
        let before = place.looks
        observed {
          _ = place.texts
        } onChange: {
          fetches ? place.fetch() : place.look()
        }
        try change()
        #expect(place.looks > before)
      }
      watched { for note in notes { place.context.insert(note) } }
      #expect(place.texts == ["a", "b", "c"])
      watched { notes[0].number = 20 }
      #expect(place.texts == ["b", "c"])
      watched { notes[1].text = "d" }
      #expect(place.texts == ["c", "d"])
      watched { place.context.delete(notes[2]) }
      #expect(place.texts == ["d"])
      watched { place.context.rollback() }
      #expect(place.texts == [])
      let other = ModelContext(container)
      other.insert(Note(text: "e"))
      try other.save()
      watched { place.context.processPendingChanges() }
      #expect(place.texts == ["e"])
      other.insert(Note(text: "f"))
      try other.save()
      #expect(try place.context.fetchCount(FetchDescriptor<Note>()) == 2)
      #expect(place.texts == ["e", "f"])
    }
  }

  /// The next look showed the objects that had changed since the failure, and not those from before it.
  @Test(arguments: [false, true], [false, true]) func `what changed before a look that failed is shown by the next one`(
    isLimited: Bool, changesMore: Bool
  ) async throws {
    try await withContainer(for: [Note.self]) { container in
      let place = try Place(container, isLimited ? Self.limited : Self.few)
      let other = ModelContext(container)
      let stranger = Note(text: "stranger")
      other.insert(stranger)
      place.context.insert(Note(text: "x"))
      place.context.rollback()
      place.context.insert(Note(text: "a"))
      // The next call that can throw does.
      place.context.insert(stranger)
      #expect(place.texts.isEmpty && place.observer.fetchError != nil)
      if changesMore { place.context.insert(Note(text: "b")) }
      #expect(place.texts == (changesMore ? ["a", "b"] : ["a"]))
      #expect(place.observer.fetchError == nil)
    }
  }

  /// `@unchecked Sendable` because the callback runs on the thread that makes the change, as all that uses it here.
  private final class Saver: @unchecked Sendable {
    let context: ModelContext
    let note = Note(text: "a")

    init(_ container: ModelContainer) throws {
      context = ModelContext(container)
      context.insert(note)
      try context.save()
    }

    func save() {
      do {
        note.number = 7
        context.insert(Note(text: "made by the observer"))
        try context.save()
      } catch {
        Issue.record(error)
      }
    }
  }

  /// The object took the values of the store as it was before the observer's save, until somebody looked again.
  @Test(arguments: [false, true])
  func `an observer's save in the middle of a change by others is kept in the object, and no news`(
    fetches: Bool
  ) async throws {
    try await withContainer(for: [Note.self]) { container in
      let saver = try Saver(container)
      let other = ModelContext(container)
      for text in ["b", "c"] {
        try other.fetch(FetchDescriptor<Note>()).first { $0.number != 0 || $0.text.count == 1 }?.text = text
        try other.save()
      }
      observed {
        _ = saver.note.text
      } onChange: {
        saver.save()
      }
      if fetches {
        _ = try saver.context.fetch(FetchDescriptor<Note>())
      } else {
        saver.context.processPendingChanges()
      }
      #expect(saver.note.text == "c")
      #expect(saver.note.number == 7)
      let heard = Mutex(false)
      observed {
        _ = (saver.note.text, saver.note.number)
      } onChange: {
        heard.withLock { $0 = true }
      }
      saver.context.processPendingChanges()
      #expect(!heard.withLock { $0 })
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 2)
    }
  }

  /// The ways to ask for all notes, each of which takes in the changes of others first.
  enum Question: CaseIterable {
    case fetch, sortedBySwift, withChanges, asStored, count, identifiers, aggregate, each, inSnapshot

    /// How many notes it finds.
    fileprivate func ask(_ context: ModelContext) throws -> Int {
      let all = FetchDescriptor<Note>()
      switch self {
      case .fetch: return try context.fetch(all).count
      case .sortedBySwift: return try context.fetch(ObserverLooksTests.sortedBySwift).count
      case .withChanges:
        context.insert(Note(text: "z"))
        return try context.fetch(all).count - 1
      case .asStored:
        context.insert(Note(text: "z"))
        var descriptor = ObserverLooksTests.sortedBySwift
        descriptor.includePendingChanges = false
        // The observer saves the new one, too.
        return try context.fetch(descriptor).count - 1
      case .count: return try context.fetchCount(all)
      case .identifiers: return try context.fetchIdentifiers(all).count
      case .aggregate: return try context.aggregate(Aggregate<Note, Int>.count)
      case .each:
        var count = 0
        try context.enumerate(all) { _ in count += 1 }
        return count
      case .inSnapshot: return try context.withSnapshot { try context.fetch(all).count }
      }
    }
  }

  private static let sortedBySwift = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text, comparator: .localized)])

  /// The answer was of the state before the observer's save, so that it lacked what the observer had saved.
  @Test(arguments: Question.allCases)
  func `a look sees what an observer saves while the look takes in a change by others`(
    _ question: Question
  ) async throws {
    try await withContainer(for: [Note.self]) { container in
      let saver = try Saver(container)
      let other = ModelContext(container)
      try #require(try other.fetch(FetchDescriptor<Note>()).first).text = "b"
      try other.save()
      observed {
        _ = saver.note.text
      } onChange: {
        saver.save()
      }
      #expect(try question.ask(saver.context) == 2)
      #expect(saver.note.text == "b" && saver.note.number == 7)
    }
  }
}
