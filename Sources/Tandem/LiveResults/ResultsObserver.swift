public import Foundation
public import Observation
import RecordStore

/// The results of a fetch that stay true: they follow the context's own changes, unsaved ones included, what other
/// contexts and processes save, and merges of other devices.
///
/// ```swift
/// let trips = try ResultsObserver(sortBy: [SortDescriptor(\Trip.start)], modelContext: container.mainContext)
/// for try await change in trips.changes { list.apply(change, trips.results) }
/// ```
/// Flat unless made with `sectionBy`; `SectionTitle` is `Never` then.
///
/// Belongs to the isolation that made it, which must be the context's, and is not `Sendable`. There, news come by
/// themselves: of the context at the next turn, of others when their commit is heard. Reading ``results`` never
/// shows an
/// older state of the context than it is. An observer that was made outside of any actor has no turns of its own: it
/// follows its context, and that takes in what others saved at fetches, saves and
/// ``ModelContext/processPendingChanges()``.
///
/// A change of objects of another class costs nothing, unless the predicate or the order looks at other objects.
/// A few changed objects are weighed and put in their places; many, or a fetch with a limit, are a fetch.
/// It ends when it is let go. When another process has migrated the store to a schema that this process's is no part
/// of, the results stay as they were, ``fetchError`` is that error, and ``changes`` end with it.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable> {
  /// The context that fetches.
  public let modelContext: ModelContext
  private let section: SectionKey<Element, SectionTitle>?
  private let registrar = ObservationRegistrar()
  // Made once: of a generic class the runtime puts a key path together again wherever it is named.
  private let resultsPath = \ResultsObserver<Element, SectionTitle>.results
  private let sectionsPath = \ResultsObserver<Element, SectionTitle>.sections
  private let differences = Broadcast<ResultsDifference>()
  private let binding: EntityBinding
  private var descriptor: FetchDescriptor<Element>
  private var watch: ContextWatch!
  private var notices: IsolatedNotices?
  private var elements: [Element] = []
  /// Where the elements' records stand.
  private var places = ResultPlaces()
  private var grouped: SectionedResults<Element, SectionTitle>?
  /// Where each record stands in the sections, once it was asked for.
  private var sectionPlaces: [RecordID: IndexPath]?
  /// How often the results were replaced.
  private var revision = 0
  private var error: (any Error)?
  /// The records that had changed before looks that failed; nil after one that did not.
  private var missed: Set<RecordID>?
  /// Whether only objects of the class itself decide what the results are.
  private var isLocal = false
  /// Whether unsaved changes could hide objects that nobody touched when the results were made.
  private var mayHideOthers = false

  init(
    _ descriptor: FetchDescriptor<Element>, by section: SectionKey<Element, SectionTitle>?, _ context: ModelContext,
    isolation: isolated (any Actor)?
  ) throws {
    var descriptor = descriptor
    section?.arrange(&descriptor)
    self.descriptor = descriptor
    self.section = section
    modelContext = context
    binding = try context.core.binding(of: Element.self)
    watch = ContextWatch(
      followsSaves: !descriptor.includePendingChanges,
      isRelevant: { [weak self] in self?.isRelevant($0) ?? false },
      followsLinks: { [weak self] store in self.map { !$0.isLocal && $0.binding.store.index == store } ?? false },
      notify: { [weak self] in self?.noteTouch() })
    try load()
    context.add(watch)
    guard isolation != nil else { return }
    notices = IsolatedNotices(of: context.core.stores.map(\.store), isolation: isolation) { [weak self] in
      self?.takeIn()
    }
  }

  // MARK: Results

  /// The objects, in their order.
  public var results: FetchResultsCollection<Element> {
    update()
    registrar.access(self, keyPath: resultsPath)
    return FetchResultsCollection(elements)
  }

  /// The objects by section; nil for flat results.
  public var sections: SectionedResults<Element, SectionTitle>? {
    update()
    registrar.access(self, keyPath: sectionsPath)
    return grouped
  }

  /// Why the last look failed; the results are those before it, and the next look tries again. Nil when it did not.
  public var fetchError: (any Error)? {
    // Asked for the error, it is no look that tries again.
    if missed == nil { update() }
    registrar.access(self, keyPath: \.fetchError)
    return error
  }

  /// How the results change from now on. Several consumers each get all of it. Ends with the observer, or with the
  /// error `SwiftDataError.backwardMigration` once another process has migrated the store to a schema that this
  /// process's is no part of.
  public var changes: AsyncThrowingStream<ResultsDifference, any Error> {
    update()
    let stream = differences.stream
    // One that begins later ends for the same reason.
    if let lost = modelContext.core.lostSchema { differences.end(lost) }
    return stream
  }

  /// The object at a section and a place in it; flat results are section 0. Nil outside of the results.
  public func element(at indexPath: IndexPath) -> Element? {
    update()
    registrar.access(self, keyPath: resultsPath)
    guard indexPath.count == 2 else { return nil }
    guard let grouped else {
      return indexPath[0] == 0 && elements.indices.contains(indexPath[1]) ? elements[indexPath[1]] : nil
    }
    guard grouped.indices.contains(indexPath[0]) else { return nil }
    let section = grouped[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// The section and the place of an object; nil if it is not among the results. A look-up; with sections, after the
  /// first one since a change.
  public func indexPath(for element: Element) -> IndexPath? {
    update()
    registrar.access(self, keyPath: resultsPath)
    let id = element._$storage.recordID
    guard let grouped else { return places.place(of: id).map { IndexPath(indexes: [0, $0]) } }
    if sectionPlaces == nil { sectionPlaces = Self.places(in: grouped) }
    return sectionPlaces?[id]
  }

  private static func places(in sections: SectionedResults<Element, SectionTitle>) -> [RecordID: IndexPath] {
    var places: [RecordID: IndexPath] = [:]
    for (number, section) in sections.enumerated() {
      for (place, element) in section.enumerated() {
        places[element._$storage.recordID] = IndexPath(indexes: [number, place])
      }
    }
    return places
  }

  // MARK: What is observed

  /// The property whose value is the title of an object's section; nil for flat results.
  public var sectionBy: PartialKeyPath<Element>? { section?.keyPath }

  /// The descriptor of the fetch.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return descriptor
  }

  /// The predicate; setting it changes the results.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { change { $0.predicate = newValue } }
  }

  /// The order; setting it changes the results. The order by ``sectionBy`` stands first, whether it is given or not.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { change { $0.sortBy = newValue } }
  }

  private func change(_ edit: (inout FetchDescriptor<Element>) -> Void) {
    registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
      edit(&descriptor)
      section?.arrange(&descriptor)
    }
    watch.touchAll()
  }

  // MARK: Following

  private func isRelevant(_ changed: EntityBinding) -> Bool {
    if changed.sharesEntity(with: binding) { return true }
    return (!isLocal || goesAlongWithPending) && changed.store === binding.store
  }

  /// Whether a pending delete of another class's object can take some of these along.
  private var goesAlongWithPending: Bool { binding.goesAlong && !modelContext.pendingLists.deleted.isEmpty }
  /// Whether unsaved changes can hide objects that nobody touches: by a unique value an inserted object may turn out to
  /// be another that exists, and others go with one that is deleted.
  private var mayHide: Bool {
    let lists = modelContext.pendingLists
    return !binding.uniqueProperties.isEmpty && lists.hasInserted || !lists.deleted.isEmpty
  }

  /// Something changed, and the caller is in the middle of it.
  private func noteTouch() {
    if let notices { return notices.post() }
    // Without turns of its own it cannot tell later whether the change matters.
    registrar.withMutation(of: self, keyPath: resultsPath) {}
  }

  /// The isolation's turn: what others saved, then what changed.
  private func takeIn() {
    modelContext.processPendingChanges()
    if let lost = modelContext.core.lostSchema {
      registrar.withMutation(of: self, keyPath: \.fetchError) { error = lost }
      differences.end(lost)
    } else {
      update()
    }
  }

  private func update() {
    guard !watch.isEmpty || missed != nil else { return }
    var touched = watch.touched(binding).union(missed ?? [])
    let isKnown = !watch.isAll && isLocal && missed == nil
    watch.drain()
    do {
      let next = try isKnown && !mayHideOthers && !mayHide ? weighed(touched) : nil
      let current = try next ?? fetched()
      mayHideOthers = mayHide
      missed = nil
      // The fetch took in what others saved; it is in the results.
      touched.formUnion(watch.touched(binding))
      watch.drain()
      show(current, touched: touched)
      // Last: an observer may look, and what is to come would no longer fit.
      if error != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { error = nil } }
    } catch {
      // Told once: an observer looks when it is told, and the look may fail again.
      if self.error == nil {
        registrar.withMutation(of: self, keyPath: \.fetchError) { self.error = error }
      } else {
        self.error = error
      }
      missed = touched.union(missed ?? [])
    }
  }

  private func show(_ next: NextResults<Element>, touched: Set<RecordID>) {
    let difference = next.difference(from: places.identifiers, touched: touched)
    let sections = section.map { SectionedResults(next.elements(after: elements), by: $0.title) }
    let movesSections = section != nil && !Self.areEqual(sections, grouped)
    guard difference.changesOrder || movesSections || next.replacesObjects(of: elements) else {
      if !difference.isEmpty { differences.send(difference) }
      return
    }
    let before = revision
    registrar.withMutation(of: self, keyPath: resultsPath) {
      registrar.withMutation(of: self, keyPath: sectionsPath) {
        // An observer may have changed objects and looked just now: what was to come no longer fits.
        guard revision == before else { return watch.touchAll() }
        revision += 1
        next.replace(&elements)
        next.replace(&places)
        grouped = sections
        sectionPlaces = nil
        differences.send(difference)
      }
    }
  }

  private static func areEqual(
    _ left: SectionedResults<Element, SectionTitle>?, _ right: SectionedResults<Element, SectionTitle>?
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.elementsEqual(right) { $0.title == $1.title && $0.elementsEqual($1, by: ===) }
  }

  private func load() throws {
    let next = try fetched()
    mayHideOthers = mayHide
    next.replace(&elements)
    next.replace(&places)
    grouped = section.map { SectionedResults(elements, by: $0.title) }
  }

  private func fetched() throws -> NextResults<Element> {
    let translation = try descriptor.translation(for: binding)
    let sectionIsOwn = sectionBy.map { binding.index(of: $0) != nil } ?? true
    isLocal = translation.isWhole && translation.query.isLocal(to: binding) && sectionIsOwn
    return NextResults(all: try modelContext.fetch(descriptor))
  }

  /// The results when only these objects changed, without a fetch; nil where a fetch has to tell.
  private func weighed(_ touched: Set<RecordID>) throws -> NextResults<Element>? {
    guard descriptor.fetchLimit == nil, descriptor.fetchOffset == nil, descriptor.includePendingChanges,
      touched.count < max(16, elements.count / 8)
    else { return nil }
    let accepts = descriptor.acceptance
    let rows = try rows(of: touched)
    var accepted: [Element] = []
    for id in rows {
      guard let object = modelContext.object(id, binding) as? Element, !object._$storage.isDeleted, accepts(object)
      else { continue }
      accepted.append(object)
    }
    let order = PendingOrder(descriptor.sortBy, try PendingIdentities([], modelContext, binding))
    if accepted.count > 1 { accepted.sort(by: order.precedes) }
    let removals = places.places(of: touched.union(rows))
    let staying = StayingPlaces(of: elements.count, without: removals)
    let edit = ListEdit(removals: removals, ranks: order.ranks(of: accepted, among: staying, in: elements))
    return NextResults(edit, accepted)
  }
}

extension ResultsObserver {
  /// The records that stand for these now: a merge may have made two of them one by a unique value. An object of the
  /// other goes on showing the record, and is none of the results.
  private func rows(of ids: Set<RecordID>) throws -> Set<RecordID> {
    guard !binding.uniqueProperties.isEmpty else { return ids }
    return try modelContext.read(binding.store) { snapshot in
      var rows: Set<RecordID> = []
      for id in ids { rows.insert(try snapshot.canonical(id)) }
      return rows
    }
  }
}

extension ResultsObserver: Observable {}

extension ResultsObserver: CustomDebugStringConvertible {
  /// The class, the number of results, and of sections if there are some.
  public var debugDescription: String {
    let sections = grouped.map { " in \($0.count) sections" } ?? ""
    return "ResultsObserver<\(Element.self)>: \(elements.count) results\(sections)"
  }
}
