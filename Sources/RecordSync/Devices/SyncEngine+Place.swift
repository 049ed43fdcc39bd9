public import Foundation
public import RecordStore

extension SyncEngine {
  /// Meets what `tandem sync DEVICE --folder FOLDER` makes of the device that has the store at this place.
  ///
  /// The family is the place's (see ``DeviceDirectory/Place/familyID``), and the files lie in `<group>/<name>.exchange`
  /// of the folder, so that stores of other places have folders of their own. Where the family has a key
  /// (``SyncOptions/key``), they lie beside those folders, under names that do not tell the place. The key of a shared
  /// family (``FamilyFile/key``) names the family, whatever the place.
  public init(
    store: RecordStore, at place: DeviceDirectory.Place, sharedFolder: URL, options: SyncOptions = SyncOptions()
  ) {
    // One spelling, as a device directory has it, for the store notes which folders it has used.
    let shared = sharedFolder.standardizedFileURL.resolvingSymlinksInPath()
    var options = options
    options.storeID = place.familyID(with: options.key)
    let folder = place.exchangeFolder(in: shared, key: options.key, sharing: options.sharesFolder ? .everybody : .owner)
    self.init(
      store: store, folder: folder, sharedFolder: shared,
      clearFolder: options.key == nil || options.key?.membership != nil ? nil : place.exchange(in: shared),
      options: options)
  }
}
