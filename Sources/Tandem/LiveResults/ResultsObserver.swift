public import Foundation
public import Observation
import RecordStore

/// The results of a fetch that stay true: they follow the context's own changes, unsaved ones included, what other
/// contexts and processes save, and merges of other devices.
///
/// ```swift
/// let trips = try ResultsObserver(sortBy: [SortDescriptor(\Trip.start)], modelContext: container.mainContext)
/// for await change in trips.changes { list.apply(change, trips.results) }
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
/// It ends when it is let go.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable> {
  public let modelContext: ModelContext
  /// The property whose value names an object's section; nil for flat results.
  public let sectionBy: PartialKeyPath<Element>?
  private let sectionName: ((Element) -> SectionTitle)?
  private let registrar = ObservationRegistrar()
  private let differences = Broadcast<ResultsDifference>()
  private let binding: EntityBinding
  private var descriptor: FetchDescriptor<Element>
  private var watch: ContextWatch!
  private var notices: IsolatedNotices?
  private var elements: [Element] = []
  private var identifiers: [RecordID] = []
  private var grouped: ResultsSectionCollection<Element, SectionTitle>?
  private var places: [RecordID: IndexPath]?
  private var error: (any Error)?
  /// Whether only objects of the class itself decide what the results are.
  private var isLocal = false

  init(
    _ descriptor: FetchDescriptor<Element>, by sectionBy: PartialKeyPath<Element>?,
    name sectionName: ((Element) -> SectionTitle)?, _ context: ModelContext, isolation: isolated (any Actor)?
  ) throws {
    self.descriptor = descriptor
    self.sectionBy = sectionBy
    self.sectionName = sectionName
    modelContext = context
    binding = try context.core.binding(of: Element.self)
    watch = ContextWatch(
      isRelevant: { [weak self] in self?.isRelevant($0) ?? false }, notify: { [weak self] in self?.noteTouch() })
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
    registrar.access(self, keyPath: \.results)
    return FetchResultsCollection(elements)
  }

  /// The objects by section; nil for flat results.
  public var sections: ResultsSectionCollection<Element, SectionTitle>? {
    update()
    registrar.access(self, keyPath: \.sections)
    return grouped
  }

  /// Why the last look failed; the results are those before it. Nil when it did not.
  public var fetchError: (any Error)? {
    update()
    registrar.access(self, keyPath: \.fetchError)
    return error
  }

  /// How the results change from now on. Several consumers each get all of it; ends with the observer.
  public var changes: AsyncStream<ResultsDifference> {
    update()
    return differences.stream
  }

  /// The object at a section and a place in it; flat results are section 0. Nil outside of the results.
  public func element(at indexPath: IndexPath) -> Element? {
    update()
    registrar.access(self, keyPath: \.results)
    guard indexPath.count == 2 else { return nil }
    guard let grouped else {
      return indexPath[0] == 0 && elements.indices.contains(indexPath[1]) ? elements[indexPath[1]] : nil
    }
    guard grouped.indices.contains(indexPath[0]) else { return nil }
    let section = grouped[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// The section and the place of an object; nil if it is not among the results. A look-up, after the first one since a
  /// change.
  public func indexPath(for element: Element) -> IndexPath? {
    update()
    registrar.access(self, keyPath: \.results)
    if places == nil { places = makePlaces() }
    return places?[element._$storage.recordID]
  }

  private func makePlaces() -> [RecordID: IndexPath] {
    var places: [RecordID: IndexPath] = [:]
    let lists = grouped.map { $0.map { Array($0) } } ?? [elements]
    for (section, list) in lists.enumerated() {
      for (place, element) in list.enumerated() {
        places[element._$storage.recordID] = IndexPath(indexes: [section, place])
      }
    }
    return places
  }

  // MARK: What is observed

  /// What the results are fetched by.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return descriptor
  }

  /// The predicate; setting it changes the results.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { change { $0.predicate = newValue } }
  }

  /// The order; setting it changes the results.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { change { $0.sortBy = newValue } }
  }

  private func change(_ edit: (inout FetchDescriptor<Element>) -> Void) {
    registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { edit(&descriptor) }
    watch.touchAll()
  }

  // MARK: Following

  private func isRelevant(_ changed: EntityBinding) -> Bool {
    changed.sharesEntity(with: binding) || !isLocal && changed.store === binding.store
  }

  /// Something changed, and the caller is in the middle of it.
  private func noteTouch() {
    if let notices { return notices.post() }
    // Without turns of its own it cannot tell later whether the change matters.
    registrar.withMutation(of: self, keyPath: \.results) {}
  }

  /// The isolation's turn: what others saved, then what changed.
  private func takeIn() {
    modelContext.processPendingChanges()
    update()
  }

  private func update() {
    guard !watch.isEmpty else { return }
    var touched = watch.touched(binding)
    let isKnown = !watch.isAll && isLocal
    watch.drain()
    do {
      let found = try isKnown ? weighed(touched) : nil
      let current = try found ?? fetched()
      // The fetch took in what others saved; it is in the results.
      touched.formUnion(watch.touched(binding))
      watch.drain()
      show(current, touched: touched)
    } catch {
      registrar.withMutation(of: self, keyPath: \.fetchError) { self.error = error }
    }
  }

  private func show(_ found: [Element], touched: Set<RecordID>) {
    if error != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { error = nil } }
    let names = Self.identifiers(of: found)
    let difference = ResultsDifference(from: identifiers, to: names, updated: touched)
    let sections = sectionName.map { ResultsSectionCollection(found, by: $0) }
    let movesSections = sectionName != nil && !Self.areEqual(sections, grouped)
    guard difference.changesOrder || movesSections || !elements.elementsEqual(found, by: ===) else {
      if !difference.isEmpty { differences.send(difference) }
      return
    }
    registrar.withMutation(of: self, keyPath: \.results) {
      registrar.withMutation(of: self, keyPath: \.sections) {
        elements = found
        identifiers = names
        grouped = sections
        places = nil
      }
    }
    differences.send(difference)
  }

  private static func areEqual(
    _ left: ResultsSectionCollection<Element, SectionTitle>?, _ right: ResultsSectionCollection<Element, SectionTitle>?
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.elementsEqual(right) { $0.name == $1.name && $0.elementsEqual($1, by: ===) }
  }

  /// By a closure: a key path in its place is walked at run time, because it leads through the class's own storage, and
  /// took longer than the fetch.
  private static func identifiers(of models: [Element]) -> [RecordID] { models.map { $0._$storage.recordID } }

  private func load() throws {
    elements = try fetched()
    identifiers = Self.identifiers(of: elements)
    grouped = sectionName.map { ResultsSectionCollection(elements, by: $0) }
  }

  private func fetched() throws -> [Element] {
    let translation = try descriptor.translation(for: binding)
    let sectionIsOwn = sectionBy.map { binding.index(of: $0) != nil } ?? true
    isLocal = translation.isWhole && translation.query.isLocal(to: binding) && sectionIsOwn
    return try modelContext.fetch(descriptor)
  }

  /// The results when only these objects changed, without a fetch; nil where a fetch has to tell.
  private func weighed(_ touched: Set<RecordID>) throws -> [Element]? {
    guard descriptor.fetchLimit == nil, descriptor.fetchOffset == nil, descriptor.includePendingChanges,
      // By a unique value an inserted object may turn out to be another that exists.
      binding.uniqueProperties.isEmpty || modelContext.pending.inserted.isEmpty, modelContext.pending.deleted.isEmpty,
      touched.count < max(16, elements.count / 8)
    else { return nil }
    let accepts = descriptor.acceptance
    var changed: [RecordID: Element] = [:]
    for id in try rows(of: touched) { changed[id] = modelContext.object(id, binding) as? Element }
    let order = PendingOrder(descriptor.sortBy, try PendingIdentities([], modelContext, binding))
    let moving = touched.union(changed.keys)
    var kept: [Element] = []
    kept.reserveCapacity(elements.count)
    for place in elements.indices where !moving.contains(identifiers[place]) { kept.append(elements[place]) }
    let accepted = changed.values.filter { !$0._$storage.isDeleted && accepts($0) }
    return order.merge(kept, accepted.sorted(by: order.precedes))
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
