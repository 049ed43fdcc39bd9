public import Observation

/// A class whose objects live in a store. Write ``Model()`` before the class; the macro conforms it.
///
/// An object belongs to the isolation of its ``ModelContext``, or, before it is inserted, to the isolation
/// that made it. It is not `Sendable`; pass its ``persistentModelID`` on instead.
///
/// Reading never traps, whatever became of the record: an object that was deleted gives the values it
/// had, a reference to one reads as nil.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the root of the inheritance tree.
  associatedtype Root: PersistentModel = Self

  /// Makes an object around values that exist already.
  init(backingData: any BackingData<Self>)
  /// The object's values by key path. Setting it gives the object other values.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The stored properties in the order of their declaration.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// Part of the expansion of ``Model()``: the object's values.
  var _$storage: ModelStorage { get }
  /// Part of the expansion of ``Model()``: what ``Unique(_:)`` declares.
  static var _$uniqueness: [[AnyKeyPath]] { get }
  /// Part of the expansion of ``Model()``: what ``Index(_:)`` declares.
  static var _$index: [[AnyKeyPath]] { get }
  /// Part of the expansion of ``Model()``: what each ``Group(_:)`` declares.
  static var _$groups: [[AnyKeyPath]] { get }
  /// Part of the expansion of ``Model()``: gives the storage what the initialisers of subclasses were given.
  func _$handOver(to storage: ModelStorage)
}

/// Part of the expansion of ``Model()``: what a model conforms to that inherits from none. A class that has it already
/// inherits from a model, while one that lacks it may have ``PersistentModel`` from a protocol of the app's.
public protocol _RootModel {}

extension PersistentModel {
  /// Nothing: the macro gives a class with ``Unique(_:)`` its own.
  public static var _$uniqueness: [[AnyKeyPath]] { [] }
  /// Nothing: the macro gives a class with ``Index(_:)`` its own.
  public static var _$index: [[AnyKeyPath]] { [] }
  /// Nothing: the macro gives a class with ``Group(_:)`` its own.
  public static var _$groups: [[AnyKeyPath]] { [] }
  /// Does nothing: the macro gives a class that inherits from a model its own.
  public func _$handOver(to storage: ModelStorage) {}

  /// The object's name in its store; the same value before and after the first save, except where the
  /// save found that the object is one that exists already (a unique attribute).
  public var persistentModelID: PersistentIdentifier { _$storage.persistentModelID }
  /// The same as ``persistentModelID``.
  public var id: PersistentIdentifier { _$storage.persistentModelID }
  /// The context that the object was inserted into or fetched by; nil once the context is gone.
  ///
  /// An object that was deleted keeps its context until the save, so that the delete can be taken back. From then on
  /// it has none, whether the app, a delete rule, another context or another process deleted it. An object that was
  /// never saved leaves its context with the delete itself.
  public var modelContext: ModelContext? { _$storage.flags.contains(.gone) ? nil : _$storage.context }
  /// Whether a property was set since the last save. True for an object that was never saved.
  public var hasChanges: Bool { _$storage.hasChanges }
  /// Whether the object was deleted, here (saved or not), by another context or by another process.
  public var isDeleted: Bool { _$storage.isDeleted }

  /// Makes the values of an object that is not in any store.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    ModelBackingData<P>(for: P.self)
  }

  /// Whether both are one object, or two that stand for one record.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left._$storage.recordID == right._$storage.recordID
  }

  /// Hashes the record's name, so that the hash is the same before and after the first save.
  public func hash(into hasher: inout Hasher) { hasher.combine(_$storage.recordID) }
}
