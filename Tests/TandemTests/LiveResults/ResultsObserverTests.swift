import Foundation
import HelperProcess
import Observation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import Tandem

@MainActor
struct ResultsObserverTests {
  private let byText = [SortDescriptor(\Note.text)]

  private func texts<Title>(_ observer: ResultsObserver<Note, Title>) -> String {
    observer.results.map(\.text).joined(separator: " ")
  }

  @Test func `results follow unsaved changes, saves and rollbacks of their context`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      let observer = try ResultsObserver(
        filterBy: #Predicate<Note> { $0.number < 10 }, sortBy: byText, modelContext: context)
      var changes = observer.changes.makeAsyncIterator()
      let (a, c) = (Note(text: "a"), Note(text: "c"))
      context.insert(c)
      context.insert(a)
      #expect(texts(observer) == "a c")
      let change1 = try await changes.next(isolation: #isolation)
      #expect(change1?.insertions == [0, 1])
      a.text = "d"
      #expect(texts(observer) == "c d")
      let change2 = try await changes.next(isolation: #isolation)
      #expect(change2?.moves.count == 1)
      c.number = 20
      #expect(texts(observer) == "d")
      let change3 = try await changes.next(isolation: #isolation)
      #expect(change3?.removals == [0])
      try context.save()
      #expect(texts(observer) == "d")
      c.number = 1
      context.delete(a)
      #expect(texts(observer) == "c")
      context.rollback()
      #expect(texts(observer) == "d")
      context.delete(a)
      try context.save()
      #expect(observer.results.isEmpty && observer.fetchError == nil)
    }
  }

  @Test func `results follow other contexts, other containers, another process and merges`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let observer = try ResultsObserver(sortBy: byText, modelContainer: container)
      #expect(observer.modelContext === container.mainContext)
      var changes = observer.changes.makeAsyncIterator()
      for (text, place) in [("b", ModelContext(container)), ("a", ModelContext(try reopened(container)))] {
        place.insert(Note(text: text))
        try place.save()
        let change4 = try await changes.next(isolation: #isolation)
        #expect(change4?.insertions == [0])
      }
      let helper = try otherProcess(container)
      try helper.carryOut("add c")
      let change5 = try await changes.next(isolation: #isolation)
      #expect(change5?.insertions == [2])
      try helper.carryOut("set c 0")
      let moved = try await changes.next(isolation: #isolation)
      let move = try #require(moved)
      #expect(move.moves.map(\.to) == [0] && move.updates == [0])
      try helper.carryOut("remove 0")
      let change6 = try await changes.next(isolation: #isolation)
      #expect(change6?.removals == [0])
      #expect(try helper.finish() == 0)

      try await withContainer(for: [Note.self]) { other in
        try other.store.adopt(storeID: container.store.storeID)
        let there = ModelContext(other)
        there.insert(Note(text: "merged"))
        try there.save()
        try merge(other, into: container)
        let change7 = try await changes.next(isolation: #isolation)
        #expect(change7?.insertions == [2])
      }
      #expect(texts(observer) == "a b merged")
    }
  }

  @Test func `only changes that matter are told`() async throws {
    try await withContainer(for: [Note.self, Trip.self]) { container in
      let context = container.mainContext
      let note = Note(text: "a")
      context.insert(note)
      try context.save()
      let observer = try ResultsObserver(sortBy: byText, modelContext: context)
      var changes = observer.changes.makeAsyncIterator()
      let told = Atomic(0)
      func observe() {
        withObservationTracking {
          _ = observer.results.count
        } onChange: {
          told.add(1, ordering: .relaxed)
        }
      }
      observe()
      let trip = Trip(code: "1")
      context.insert(trip)
      try context.save()
      trip.name = "other class"
      note.number = 3
      // The object itself tells of its property; the stream does too.
      let change8 = try await changes.next(isolation: #isolation)
      #expect(change8?.updates == [0])
      #expect(told.load(ordering: .relaxed) == 0)
      context.insert(Note(text: "b"))
      let change9 = try await changes.next(isolation: #isolation)
      #expect(change9?.insertions == [1])
      #expect(told.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `a predicate over related objects follows those`() async throws {
    try await withContainer { container in
      let context = container.mainContext
      let trip = Trip(code: "1", name: "Lviv")
      context.insert(trip)
      trip.stops = [Stop(place: "x")]
      try context.save()
      let observer = try ResultsObserver(
        filterBy: #Predicate<Stop> { $0.trip?.name == "Lviv" }, modelContext: context)
      #expect(observer.results.count == 1)
      trip.name = "Kyiv"
      #expect(observer.results.isEmpty)
      let other = ModelContext(container)
      try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Lviv"
      context.rollback()
      var changes = observer.changes.makeAsyncIterator()
      #expect(observer.results.count == 1)
      trip.name = "Odesa"
      try context.save()
      let change10 = try await changes.next(isolation: #isolation)
      #expect(change10?.removals == [0])
      try other.save()
      let change11 = try await changes.next(isolation: #isolation)
      #expect(change11?.insertions == [0])
    }
  }

  @Test func `sections are named by a property and follow it`() async throws {
    try await withContainer { container in
      let context = container.mainContext
      for (place, order) in [("b", 1), ("a", 2), ("b", 3)] { context.insert(Stop(place: place, order: order)) }
      try context.save()
      let observer = try ResultsObserver(
        sortBy: [SortDescriptor(\Stop.order)], sectionBy: \.place, modelContext: context)
      var sections = try #require(observer.sections)
      #expect(sections.sectionTitles == ["a", "b"])
      #expect(observer.results.map(\.order) == [2, 1, 3] && observer.sortBy.count == 2)
      #expect(
        sections[sectionTitle: "b"]?.map(\.order) == [1, 3] && sections[sectionTitle: "c"] == nil
          && sections.contains(sectionTitle: "a"))
      let last = try #require(observer.results.last)
      #expect(observer.indexPath(for: last) == IndexPath(indexes: [1, 1]))
      #expect(observer.element(at: IndexPath(indexes: [1, 1])) === last)
      #expect(
        observer.element(at: IndexPath(indexes: [2, 0])) == nil && observer.element(at: IndexPath(index: 0)) == nil)
      #expect(observer.sectionBy == \Stop.place)
      last.place = "c"
      sections = try #require(observer.sections)
      #expect(sections.map(\.id) == ["a", "b", "c"] && sections.index(ofSectionTitled: "c") == 2)
      #expect(observer.indexPath(for: last) == IndexPath(indexes: [2, 0]))
      context.delete(last)
      #expect(observer.indexPath(for: last) == nil && observer.sections?.count == 2)
      observer.sortBy = [SortDescriptor(\.order, order: .reverse)]
      #expect(observer.sections?.sectionTitles == ["a", "b"] && observer.results.map(\.order) == [2, 1])
      observer.sortBy = [SortDescriptor(\.place, order: .reverse)]
      #expect(observer.sections?.sectionTitles == ["b", "a"] && observer.sortBy.count == 1)
      #expect(observer.sections == observer.sections && observer.sections?.first != observer.sections?.last)
      #expect(observer.debugDescription == "ResultsObserver<Stop>: 2 results in 2 sections")
    }
  }

  @Test func `random edits leave the sections and places that a fetch gives`() async throws {
    try await withContainer { container in
      var generator = SeededGenerator.announced()
      let context = container.mainContext
      let undo = UndoManager()
      context.undoManager = undo
      func place() -> String { ["a", "b", "c", "d"].randomElement(using: &generator) ?? "" }
      for _ in 0..<60 { context.insert(Stop(place: place(), order: Int.random(in: 0..<9, using: &generator))) }
      try context.save()
      let observer = try ResultsObserver(
        sortBy: [SortDescriptor(\Stop.order)], sectionBy: \.place, modelContext: context)
      for step in 0..<800 {
        for _ in 0...(generator.oneIn(10) ? 30 : 2) {
          let stop = try #require(observer.results.randomElement(using: &generator))
          switch Int.random(in: 0..<12, using: &generator) {
          case 0: context.insert(Stop(place: place(), order: Int.random(in: 0..<9, using: &generator)))
          case 1 where observer.results.count > 30: context.delete(stop)
          case 2 where undo.canUndo: undo.undo()
          case 3: context.rollback()
          case 4...7: stop.place = place()
          default: stop.order = Int.random(in: 0..<9, using: &generator)
          }
        }
        if generator.oneIn(4) { try context.save() }
        let comment: Comment = "seed \(generator.seed), step \(step)"
        let fetched = try context.fetch(
          FetchDescriptor(sortBy: [SortDescriptor(\Stop.place), SortDescriptor(\.order)])
        )
        .map { ObjectIdentifier($0) }
        let shown = observer.results.map { ObjectIdentifier($0) }
        try #require(shown == fetched, comment)
        let sections = try #require(observer.sections)
        let sectioned = sections.flatMap { $0.map { ObjectIdentifier($0) } }
        #expect(sectioned == fetched, comment)
        #expect(sections.sectionTitles == Set(observer.results.map(\.place)).sorted(), comment)
        for (number, section) in sections.enumerated() {
          for (place, stop) in section.enumerated() {
            #expect(observer.indexPath(for: stop) == IndexPath(indexes: [number, place]), comment)
          }
        }
      }
    }
  }

  @Test func `setting the predicate or the order changes the results`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      for number in 0..<4 { context.insert(Note(text: "\(number)", number: number % 2)) }
      let observer = try ResultsObserver<Note, Never>(modelContext: context)
      observer.sortBy = [SortDescriptor(\.text, order: .reverse)]
      #expect(texts(observer) == "3 2 1 0")
      observer.filterBy = #Predicate { $0.number == 1 }
      #expect(texts(observer) == "3 1" && observer.fetchDescriptor.sortBy.count == 1)
      observer.filterBy = nil
      #expect(observer.results.count == 4 && observer.sections == nil)
    }
  }

  @Test func `an observer may change objects and look at once`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      for number in 0..<40 { context.insert(Note(text: "b", number: number)) }
      try context.save()
      let board = try Board(container)
      withObservationTracking {
        #expect(board.observer.results.count == 40)
      } onChange: {
        MainActor.assumeIsolated { board.tidy() }
      }
      board.notes[39].number = -1
      board.notes[38].number = -2
      #expect(board.observer.results.map(\.number) == Array(0..<10))
      #expect(board.shownThen == Array(0..<10))
    }
  }

  @Test func `it ends with its owner`() async throws {
    try await withContainer(for: [Note.self]) { container in
      var observer: ResultsObserver<Note, Never>? = try ResultsObserver(modelContext: container.mainContext)
      weak let weakObserver = observer
      let changes = try #require(observer?.changes)
      container.mainContext.insert(Note(text: "a"))
      _ = observer?.results
      observer = nil
      #expect(weakObserver == nil)
      var count = 0
      for try await _ in changes { count += 1 }
      #expect(count == 1)
      container.mainContext.insert(Note(text: "b"))
    }
  }

  @Test func `random changes here and elsewhere leave what a fetch gives, and the differences lead there`() async throws
  {
    try await withContainer(for: [Note.self]) { container in
      var generator = SeededGenerator.announced()
      let seed = generator.seed
      let context = container.mainContext
      let other = ModelContext(container)
      let order = [SortDescriptor(\Note.number), SortDescriptor(\Note.text)]
      let predicate = #Predicate<Note> { $0.number > 2 }
      for number in 0..<400 { context.insert(Note(text: "t\(number)", number: number % 9)) }
      try context.save()
      var observer: ResultsObserver<Note, Never>? = try ResultsObserver(
        filterBy: predicate, sortBy: order, modelContext: context)
      let changes = try #require(observer?.changes)
      var states: [[PersistentIdentifier]] = []
      func look() -> [PersistentIdentifier] {
        let now = observer?.results.map(\.persistentModelID) ?? []
        if now != states.last { states.append(now) }
        return now
      }
      _ = look()
      for step in 0..<120 {
        let place = Bool.random(using: &generator) ? context : other
        let all = try place.fetch(FetchDescriptor<Note>(sortBy: order))
        // Up to as many as are weighed, and some more.
        for _ in 0..<Int.random(in: 1...(generator.oneIn(4) ? 50 : 3), using: &generator) {
          let note = try #require(all.randomElement(using: &generator))
          switch Int.random(in: 0..<6, using: &generator) {
          case 0: place.insert(Note(text: "n\(step)", number: Int.random(in: 0..<9, using: &generator)))
          case 1 where all.count > 50: place.delete(note)
          case 2: context.rollback()
          default: if !note.isDeleted { note.number = Int.random(in: 0..<9, using: &generator) }
          }
        }
        if place === other || Bool.random(using: &generator) { try place.save() }
        if Bool.random(using: &generator) { context.processPendingChanges() }
        let shown = look()
        let fetched = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.persistentModelID)
        // The fetch has taken in what others saved; the observer sees that now.
        #expect(look() == fetched, "seed \(seed), step \(step), before the fetch \(shown.count)")
      }
      observer = nil
      var list = states.removeFirst()
      for try await change in changes where change.changesOrder {
        let next = states.removeFirst()
        change.apply(to: &list, next)
        #expect(list == next, "seed \(seed), \(states.count) states before the end")
      }
      #expect(states.isEmpty, "seed \(seed)")
    }
  }
}

/// Takes all but ten notes away when it is told, and looks.
@MainActor
private final class Board {
  let observer: ResultsObserver<Note, Never>
  let notes: [Note]
  private(set) var shownThen: [Int] = []

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(sortBy: [SortDescriptor(\.number)], modelContainer: container)
    notes = Array(observer.results)
  }

  func tidy() {
    for note in notes[10...] { observer.modelContext.delete(note) }
    shownThen = observer.results.map(\.number)
  }
}

@ModelActor
private actor Librarian {
  private var observer: ResultsObserver<Note, Never>?

  func start() throws { observer = try ResultsObserver(sortBy: [SortDescriptor(\.text)], modelContext: modelContext) }
  func changes() -> AsyncThrowingStream<ResultsDifference, any Error>? { observer?.changes }
  func texts() -> [String] { observer?.results.map(\.text) ?? [] }
  func add(_ text: String) { modelContext.insert(Note(text: text)) }
}

struct IsolatedResultsTests {
  @Test func `an actor's observer follows its context and the others`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let librarian = Librarian(modelContainer: container)
      try await librarian.start()
      var changes = try #require(await librarian.changes()).makeAsyncIterator()
      let context = ModelContext(container)
      context.insert(Note(text: "b"))
      try context.save()
      let change12 = try await changes.next(isolation: #isolation)
      #expect(change12?.insertions == [0])
      await librarian.add("a")
      let change13 = try await changes.next(isolation: #isolation)
      #expect(change13?.insertions == [0])
      #expect(await librarian.texts() == ["a", "b"])
    }
  }

  @Test func `an observer outside of any actor follows what its context sees`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let context = ModelContext(container)
    let observer = try ResultsObserver<Note, Never>(modelContext: context)
    let told = Atomic(false)
    withObservationTracking {
      #expect(observer.results.isEmpty)
    } onChange: {
      told.store(true, ordering: .relaxed)
    }
    context.insert(Note(text: "a"))
    #expect(told.load(ordering: .relaxed) && observer.results.count == 1)
    let other = ModelContext(container)
    other.insert(Note(text: "b"))
    try other.save()
    context.processPendingChanges()
    #expect(observer.results.count == 2)
  }
}
