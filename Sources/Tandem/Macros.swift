/// Makes a class a model: its stored properties become fields of an entity of the same name.
///
/// ```swift
/// @Model final class Voyage {
///   @Attribute(.unique) var name: String
///   var start: Date = Date.now
///   @Relationship(deleteRule: .cascade, inverse: \Port.voyage) var ports: [Port] = []
///   @Transient var isExpanded = false
///
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// The macro replaces each stored `var` by accessors that read and write the object's storage; a value is
/// decoded when it is first read. Defaults are evaluated when an object is made, in the order of
/// declaration and before the body of the initialiser, and not when one is fetched.
/// Computed, static and ``Transient()`` properties are left alone.
///
/// A class may inherit from a model and be one itself: write the macro before both, see <doc:DefiningModels>.
///
/// Objects belong to the isolation of their context and are not `Sendable`; pass their
/// ``PersistentModel/persistentModelID`` on instead.
@attached(
  member, conformances: PersistentModel, _RootModel,
  names: named(_$storage), named(_$defaults), named(_$initialStorage), named(persistentBackingData),
  named(schemaMetadata), named(init), named(_$uniqueness), named(_$index), named(_$groups), named(_$values),
  named(_$start), named(_$metadata),
  named(_$propertyCount), named(_$handOver))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, _RootModel, names: named(_$isEqual))
public macro Model() = #externalMacro(module: "TandemMacros", type: "ModelMacro")

/// Gives options to a stored attribute of a model, such as `.unique`.
///
/// - Parameters:
///   - options: The attribute's properties beyond its type.
///   - originalName: The property's name in earlier versions of the schema, if it was renamed.
///   - hashModifier: Part of the schema's version hash in SwiftData; kept, and without effect here.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "TandemMacros", type: "AttributeMacro")

/// Gives options to a relationship of a model: a property whose type is a model, or an array of models.
///
/// - Parameters:
///   - options: The relationship's properties beyond its type.
///   - deleteRule: The effect on the other side when an object of this class is deleted.
///   - minimumModelCount: The least number of related objects; checked by the save.
///   - maximumModelCount: The greatest number of related objects, checked by the save; 0: no limit.
///   - originalName: The property's name in earlier versions of the schema, if it was renamed.
///   - inverse: The property of the other class that says the same. Give it on one of the two sides.
///   - hashModifier: Part of the schema's version hash in SwiftData; kept, and without effect here.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "TandemMacros", type: "RelationshipMacro")

/// Leaves a property out of the store. It needs a default, which a fetched object gets too.
@attached(peer)
public macro Transient() = #externalMacro(module: "TandemMacros", type: "TransientMacro")

/// Declares which properties, alone or together, name at most one object:
/// `#Unique<Trip>([\.name], [\.place, \.start])`.
///
/// Stands once in a model and takes any number of constraints.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "TandemMacros", type: "UniqueMacro") where T: PersistentModel

/// Declares indexes, each over one or more properties: `#Index<Trip>([\.start], [\.place, \.start])`.
///
/// A fetch that compares or sorts by a prefix of an index's properties reads only the records it needs.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "TandemMacros", type: "IndexMacro") where T: PersistentModel

/// Declares indexes with their kinds: `#Index<Trip>(.binary([\.start]))`.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "TandemMacros", type: "IndexMacro") where T: PersistentModel

/// Declares properties that move together: `#Group<Credit>(\.isConsumed, \.consumedAt)`.
///
/// ```swift
/// @Model final class Ticket {
///   #Group<Ticket>(\.isUsed, \.usedAt)  // a merge never takes the one without the other
///   var isUsed = false
///   var usedAt: Date?
///   init() {}
/// }
/// ```
///
/// Setting one of them writes all of them, under one stamp. So where two devices set them apart, the merge takes the
/// later one's values for the whole group, never some of each. Attributes and to-one relationships that this class
/// stores can be named; any number of groups may stand in a model, and a property belongs to one of them at most.
@freestanding(declaration)
public macro Group<T>(_ properties: PartialKeyPath<T>...) =
  #externalMacro(module: "TandemMacros", type: "GroupMacro") where T: PersistentModel

/// Makes an actor the home of a context: adds ``ModelActor``, its executor and `init(modelContainer:)`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "TandemMacros", type: "ModelActorMacro")

#if !canImport(Darwin)
  /// A condition on objects, which a fetch asks the store.
  ///
  /// ```swift
  /// let long = #Predicate<Trip> { $0.nights > 7 }
  /// let open = #Expression<[Errand], Int> { errands in errands.filter { !$0.isDone }.count }
  /// let restful = #Predicate<Trip> { long.evaluate($0) && open.evaluate($0.errands) == 0 }
  /// ```
  ///
  /// It takes what Foundation's `#Predicate` takes, and these beyond it:
  ///
  /// - any number of comparisons: each is a statement of the expansion, so the time to compile grows with their number
  ///   alone;
  /// - calls, paths and operators of what is known outside of the body, such as `chart.id`, `Date.now` or
  ///   `Kind.note.rawValue`, which are read once, where the predicate is made;
  /// - `==` and `!=` of an optional and a plain value, and of a related and a captured object: `$0.chart == chart`;
  /// - `evaluate` of predicates and expressions, which Foundation's takes on Apple's systems only.
  ///
  /// Predicates of values that are no models are Foundation's as they stand.
  // A pack as Foundation's has one: the compiler weighs two macros fairly only if it looks at both in the same way, and
  // would take Foundation's for a body with `!= nil`.
  @freestanding(expression)
  public macro Predicate<each Model: PersistentModel>(
    _ body: (repeat each Model) -> Bool
  ) -> Predicate<repeat each Model> = #externalMacro(module: "TandemMacros", type: "PredicateMacro")
#endif

/// Part of the expansion of ``Model()``: the accessors and the initialisation marker of field `number`, which has no
/// default, and of which class where that may share its objects' values with others.
@attached(accessor, names: named(get), named(set), named(init))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ number: Int, in model: StaticString? = nil) =
  #externalMacro(module: "TandemMacros", type: "PersistedPropertyMacro")

/// Part of the expansion of ``Model()``: the getter and setter of field `number`, which has a default.
@attached(accessor, names: named(get), named(set))
public macro _PersistedDefault(_ number: Int, in model: StaticString? = nil) =
  #externalMacro(module: "TandemMacros", type: "PersistedDefaultMacro")

/// Part of the expansion of ``Model()``: the `init` accessor of field `number`, which has a default.
// The getter is announced too: the compiler takes a macro that announces `init` alone for one that observes.
@attached(accessor, names: named(init), named(get))
public macro _PersistedInitializer(_ number: Int, in model: StaticString? = nil) =
  #externalMacro(module: "TandemMacros", type: "PersistedInitializerMacro")

/// The type of the empty marker beside each stored property of a model. Takes no memory.
public struct _NoStorage: Sendable {
  /// A marker.
  @inlinable
  public init() {}
}
