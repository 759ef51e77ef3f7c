//! What a user asks of sync: begin, join, see the code and the devices, shut one out, change the key, leave.

use std::time::Duration;

use satchel_core::ids::DeviceId;
use satchel_core::store::{Commit, Store as _, StoreError};
use satchel_core::sync::{
    AccountKey, CodeError, CodePicture, DeviceEntry, KeptKey, Membership, SyncError, SyncKeys, SyncState,
};

use super::line::SyncLine;
use super::{Errand, ListedDevice, Outcome, ShownCode, SyncWord, following, kept, say};
use crate::browser::core_worker::scope::Done;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::secrets::SecretError;
use crate::browser::tab_roles::SyncKeyTurn;
use crate::browser::{clock, random};
use crate::core_worker::{errand, store};
use crate::work::store::AppStore;
use crate::work::sync::{self, SyncChoice};

/// How often the key is tried to be changed while something is on its way.
const TRIES: usize = 10;
/// How long is waited in between.
const BETWEEN: Duration = Duration::from_secs(1);

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
enum ErrandError {
    #[error(transparent)]
    Code(#[from] CodeError),
    #[error(transparent)]
    Sync(#[from] SyncError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(
        "this account syncs already; join with the code that one of its devices shows, or begin anew if it is lost"
    )]
    HasBegun,
    #[error("this device does not sync")]
    NotMember,
}

/// The device, and its way to the log.
struct Here {
    store: IndexedDbStore,
    server: SyncLine,
    device: DeviceId,
}

/// Runs an errand.
pub(in crate::core_worker) async fn run(errand: &str) -> Done {
    errand::run(errand, async |errand| Ok::<_, ErrandError>((attempt(errand).await?, Vec::new()))).await
}

async fn attempt(errand: Errand) -> Result<Outcome, ErrandError> {
    let store = store::open().await?;
    match errand {
        Errand::Follow => {
            if sync::choice(AppStore::Kept(store.clone())).await.is_on {
                following::follow(&store);
            }
        }
        Errand::Start { name } => return Ok(Outcome::Code(start(Here::of(store).await?, &name).await?)),
        Errand::BeginAnew { name } => return Ok(Outcome::Code(begin_anew(Here::of(store).await?, &name).await?)),
        Errand::Begin => {
            let here = Here::of(store).await?;
            here.member(&here.keys().await?).begin().await?;
            say(&SyncWord::Again);
        }
        Errand::Join { code, name } => {
            // Read before anything is sent.
            let key = AccountKey::read(&code)?;
            join(Here::of(store).await?, key, &name).await?;
        }
        Errand::Code => {
            let kept = kept::read(&store).await?.ok_or(ErrandError::NotMember)?;
            return Ok(Outcome::Code(shown(&kept.key)));
        }
        Errand::Devices => {
            let here = Here::of(store).await?;
            let devices = here.member(&here.keys().await?).devices().await?;
            return Ok(Outcome::Devices { devices: devices.into_iter().map(listed).collect() });
        }
        Errand::Name { name } => {
            let here = Here::of(store).await?;
            here.member(&here.keys().await?).call_itself(&name).await?;
        }
        Errand::ShutOut { device } => {
            let here = Here::of(store).await?;
            here.member(&here.keys().await?).revoke(&device).await?;
        }
        Errand::ChangeKey { name } => {
            return Ok(Outcome::Code(change_key(Here::of(store).await?, &name).await?));
        }
        Errand::Leave => {
            // How far it came is kept: whichever account it joins next is given everything.
            choose(&store, SyncChoice::default()).await?;
            kept::forget(&store).await?;
        }
        Errand::Pause { is_paused } => choose(&store, SyncChoice { is_on: true, is_paused }).await?,
        Errand::ReadAgain => {
            if let Some(state) = SyncState::load(&store).await? {
                store.apply(state.read_again().keep(Commit::default()), clock::now()).await?;
            }
            say(&SyncWord::Again);
        }
    }
    Ok(Outcome::Done)
}

/// Makes the account's key, and begins with it.
async fn start(here: Here, name: &str) -> Result<ShownCode, ErrandError> {
    let key = AccountKey::from_random(random::sixteen_bytes());
    let keys = SyncKeys::new(&key);
    let member = here.member(&keys);
    match member.join().await {
        Err(SyncError::NotBegun) => {}
        Ok(_) | Err(SyncError::WrongKey) => return Err(ErrandError::HasBegun),
        Err(error) => return Err(error.into()),
    }
    // Before the server hears of it: nobody else has it.
    kept::keep(&here.store, &KeptKey::new(key.clone())).await?;
    if let Err(error) = member.begin().await {
        kept::forget(&here.store).await?;
        return Err(error.into());
    }
    belong(&here, &keys, name).await?;
    Ok(shown(&key))
}

/// Begins anew with a fresh key, in the place of one whose code is lost. What this device has kept of the old one stays until the server has
/// heard of the new one: should it not, nothing has changed.
async fn begin_anew(here: Here, name: &str) -> Result<ShownCode, ErrandError> {
    let key = AccountKey::from_random(random::sixteen_bytes());
    let keys = SyncKeys::new(&key);
    let turn = SyncKeyTurn::wait().await;
    let before = kept::read(&here.store).await?;
    let both = before.clone().map_or_else(|| KeptKey::new(key.clone()), |old| old.with_next(key.clone()));
    kept::keep(&here.store, &both).await?;
    match here.member(&keys).begin_anew().await {
        Ok(_) => kept::keep(&here.store, &KeptKey::new(key.clone())).await?,
        // It may have been heard all the same; the next round asks.
        Err(error @ SyncError::NotReached(_)) => return Err(error.into()),
        Err(error) => {
            match before {
                Some(before) => kept::keep(&here.store, &before).await?,
                None => kept::forget(&here.store).await?,
            }
            return Err(error.into());
        }
    }
    drop(turn);
    belong(&here, &keys, name).await?;
    Ok(shown(&key))
}

/// Joins with the key of another device, in place of the one that is kept.
async fn join(here: Here, key: AccountKey, name: &str) -> Result<(), ErrandError> {
    let keys = SyncKeys::new(&key);
    here.member(&keys).join().await?;
    kept::keep(&here.store, &KeptKey::new(key)).await?;
    belong(&here, &keys, name).await
}

/// Changes the key. Both are kept until the server has said which one counts.
async fn change_key(here: Here, name: &str) -> Result<ShownCode, ErrandError> {
    let next = AccountKey::from_random(random::sixteen_bytes());
    let keys = SyncKeys::new(&next);
    let mut tries = 0;
    while let Err(error) = replace_key(&here, &next, &keys).await {
        // Something may be on its way; whoever has the role brings it to its end.
        if !matches!(error, ErrandError::Sync(SyncError::Busy)) || tries == TRIES {
            return Err(error);
        }
        tries += 1;
        say(&SyncWord::Again);
        clock::wait(BETWEEN).await;
    }
    belong(&here, &keys, name).await?;
    Ok(shown(&next))
}

async fn replace_key(here: &Here, next: &AccountKey, keys: &SyncKeys) -> Result<(), ErrandError> {
    let turn = SyncKeyTurn::wait().await;
    let old = kept::settled_in_turn(&here.store, &here.server, &here.device, &turn).await?;
    kept::keep(&here.store, &old.clone().with_next(next.clone())).await?;
    match here.member(&SyncKeys::new(&old.key)).rotate(&here.store, keys).await {
        Ok(()) => Ok(kept::keep(&here.store, &KeptKey::new(next.clone())).await?),
        // It may have been heard all the same; the next round asks.
        Err(error @ SyncError::NotReached(_)) => Err(error.into()),
        Err(error) => {
            kept::keep(&here.store, &old).await?;
            Err(error.into())
        }
    }
}

/// From now on this device syncs.
async fn belong(here: &Here, keys: &SyncKeys, name: &str) -> Result<(), ErrandError> {
    choose(&here.store, SyncChoice { is_on: true, is_paused: false }).await?;
    following::follow(&here.store);
    // A device without a name is listed all the same, and can be named later.
    here.member(keys).call_itself(name).await.ok();
    Ok(())
}

/// Keeps what the user wants, and tells whoever has the role.
async fn choose(store: &IndexedDbStore, choice: SyncChoice) -> Result<(), StoreError> {
    sync::choose(AppStore::Kept(store.clone()), choice).await?;
    say(&SyncWord::Changed);
    Ok(())
}

impl Here {
    async fn of(store: IndexedDbStore) -> Result<Self, ErrandError> {
        let (server, device) = (SyncLine::of(&store).await.map_err(SyncError::from)?, kept::device(&store).await?);
        Ok(Self { store, server, device })
    }

    fn member<'a>(&'a self, keys: &'a SyncKeys) -> Membership<'a, SyncLine> {
        Membership { server: &self.server, keys, device: &self.device }
    }

    async fn kept(&self) -> Result<KeptKey, SyncError> {
        kept::settled(&self.store, &self.server, &self.device).await
    }

    async fn keys(&self) -> Result<SyncKeys, SyncError> {
        Ok(SyncKeys::new(&self.kept().await?.key))
    }
}

fn shown(key: &AccountKey) -> ShownCode {
    let CodePicture { side, dark } = key.picture();
    ShownCode { code: key.code(), side, dark }
}

fn listed(entry: DeviceEntry) -> ListedDevice {
    let DeviceEntry { name, is_this, known } = entry;
    ListedDevice { id: known.id, name, is_this, last_seen: known.last_seen, revoked_at: known.revoked_at }
}
