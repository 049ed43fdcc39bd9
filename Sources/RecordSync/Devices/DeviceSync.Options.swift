public import RecordStore

extension DeviceSync {
  /// The settings of a synchronisation of devices. The defaults suit a tool that a person runs.
  public struct Options: Sendable {
    /// How long to wait for another synchronisation of the same directory.
    public var timeoutSeconds = 30.0
    /// Opens stores like this; the path is filled in.
    public var configuration = StoreConfiguration(url: nil)
    /// Whether stores may be made in a directory that has none and holds other things, and the place of a transport
    /// where nothing is. Neither is done unasked, for a name may be wrong and a disk not mounted.
    public var acceptsForeignDirectories = false
    /// The places of the stores to synchronise; nil: all.
    public var only: Set<DeviceDirectory.Place>?
    /// Stores that are left alone, also where ``only`` names them: neither made nor read, on no side. They are given
    /// with each synchronisation and kept nowhere, so that no store is left out by a rule that nobody sees.
    public var except: Set<PlacePattern> = []
    /// Whether every user of the machine may read what is written into the folder that another tool moves: where that
    /// tool runs as somebody else. A device's own copy is its user's alone in any case.
    public var sharesFolder = false
    /// How people know the device; empty: by the name of its directory.
    public var displayName = ""
    /// How many bytes of files one run may move, of all stores and both ways together; nil: any number. A run that
    /// reaches the bound leaves the rest to the next one, and says so in ``DeviceReport/Store/postponed``. The rules
    /// are those of ``SyncOptions/maximumBytes``; what a device reads and writes in its own copy of the folder does not
    /// count.
    public var maximumBytes: Int?
    /// Which large values of others come with a synchronisation. A record is there without its value, too.
    public var largeValues = SyncOptions.LargeValues.all
    /// Opens key files that a passphrase protects.
    public var passphrase: String?
    /// Called on the synchronisation's own queue with the store and the device's path.
    public var progress: (@Sendable (DeviceDirectory.Place, String, SyncEvent) -> Void)?
    /// The defaults.
    public init() {}

    /// Those of some places that are not left alone, in order.
    func wanted(_ places: some Sequence<DeviceDirectory.Place>) -> [DeviceDirectory.Place] {
      places.filter { place in !except.contains { $0.matches(place) } }.sorted()
    }
  }
}
