import Observation
import RecordStore

extension ModelStorage {
  /// The bytes between the object's own head and the record's. A pointer file, like ``ModelStorage``.
  ///
  /// Has no initialiser but the one that the compiler makes: of what another one returns, it makes a copy before it
  /// writes that to memory, and counts each reference anew.
  struct Head {
    // First what reading an attribute needs, so that it lies together.

    /// The record as last read, or as a save is to insert it; behind this or in ``memory``.
    var view: RecordView
    /// The table of the binding, which keeps it.
    var places: UnsafePointer<PropertyPlace>?
    var slots: ContiguousArray<Slot>
    var flags: Flags = []
    var isWhole = false
    var needsAttention = false
    var isLent = false

    // Not counted: a head with a binding has a link, and the link keeps the container's core, which keeps all bindings.
    unowned(unsafe) var binding: EntityBinding?
    // Not counted: the process keeps them all.
    unowned(unsafe) var description: ModelDescription
    var recordID: RecordID
    var link: ContextLink?
    var edits: Edits?
    /// The keeper of the record's bytes, if they do not lie behind this: those of a draft, or newer ones of others.
    var memory: AnyObject?
    var observation: Observation?
  }

  /// A class of ours, because nobody here knows the size of a registrar: an object without one would ask each time.
  final class Observation {
    let registrar: ObservationRegistrar
    init(_ registrar: ObservationRegistrar) { self.registrar = registrar }
  }
}
