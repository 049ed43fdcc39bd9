public import Foundation

// The ways to make an observer: by descriptor or by its parts, flat or with sections, on a context or a container.

extension ResultsObserver where SectionTitle == Never {
  /// Observes a fetch.
  ///
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, by: nil, modelContext, isolation: isolation)
  }

  /// Observes a fetch, on the main actor in the container's main context, elsewhere in a context of its own.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(fetchDescriptor, by: nil, context, isolation: isolation)
  }

  /// Observes a fetch by its parts.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, by: nil, modelContext, isolation: isolation)
  }

  /// Observes a fetch by its parts, on the main actor in the container's main context, elsewhere in a context of its
  /// own.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(descriptor, by: nil, context, isolation: isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes a fetch, in sections by a text. The results are sorted by it first, so that a section's objects stand
  /// together; where the descriptor says so itself, in its direction.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, by: SectionKey(sectionBy), modelContext, isolation: isolation)
  }

  /// Observes a fetch, in sections by a text; on the main actor in the main context, elsewhere in a context of its own.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(fetchDescriptor, by: SectionKey(sectionBy), context, isolation: isolation)
  }

  /// Observes a fetch by its parts, in sections by a text.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, by: SectionKey(sectionBy), modelContext, isolation: isolation)
  }

  /// Observes a fetch by its parts, in sections by a text; on the main actor in the main context, elsewhere in a
  /// context of its own.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(descriptor, by: SectionKey(sectionBy), context, isolation: isolation)
  }

  /// Observes a fetch, in sections by a text that may be nil: those objects are the section with an empty title.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, by: SectionKey(sectionBy), modelContext, isolation: isolation)
  }

  /// Observes a fetch, in sections by a text that may be nil; on the main actor in the main context, elsewhere in a
  /// context of its own.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(fetchDescriptor, by: SectionKey(sectionBy), context, isolation: isolation)
  }

  /// Observes a fetch by its parts, in sections by a text that may be nil.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, by: SectionKey(sectionBy), modelContext, isolation: isolation)
  }

  /// Observes a fetch by its parts, in sections by a text that may be nil; on the main actor in the main context,
  /// elsewhere in a context of its own.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = ModelContext.current(of: modelContainer, isolation: isolation)
    try self.init(descriptor, by: SectionKey(sectionBy), context, isolation: isolation)
  }
}

extension ModelContext {
  // Only handed out on the main actor, to which it belongs.
  private struct MainBox: @unchecked Sendable {
    let context: ModelContext
  }

  /// The context to use in an isolation: the main one on the main actor, elsewhere a new one.
  static func current(of container: ModelContainer, isolation: isolated (any Actor)?) -> ModelContext {
    guard isolation === MainActor.shared else { return ModelContext(container) }
    return MainActor.assumeIsolated { MainBox(context: container.mainContext) }.context
  }
}
