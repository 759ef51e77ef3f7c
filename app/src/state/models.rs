//! The models that are known, and the one that answers in the chat that is open.
//!
//! Who offers models is asked by whoever shows them ([`Models::follow`]), so that the page can begin without that code.

use leptos::prelude::{
    Effect, Get as _, GetValue as _, RwSignal, Set as _, SetValue as _, StoredValue, Update as _, With as _,
    WithUntracked as _, expect_context, untrack,
};
use satchel_core::ids::ChatId;
use satchel_core::model::{ChosenModel, KnownModels, ModelChoice, ModelGroup, ModelPlace, PageModel, Standing};
use satchel_core::protocol::{Capability, KeyStanding, ModelSummary, ProviderFormat, ProviderSummary};

use super::{Chats, Connection, NoticeKind, Notices, OpenedChat, Storage};
use crate::browser::spawn::spawn;
use crate::work::models::{self, endpoints, providers};
use crate::work::page_models;
use crate::work::server::ServerStatus;

/// The context of the models.
#[derive(Clone, Copy)]
pub(crate) struct Models {
    known: RwSignal<KnownModels>,
    /// What is wrong with the server, where that is why its models are not known.
    server_trouble: RwSignal<Option<String>>,
    /// The model that was chosen last on this device.
    last: RwSignal<Option<ModelChoice>>,
    /// Counts the readings, so that a slow answer to an older one is known to be old.
    readings: StoredValue<u32>,
    /// What of the server was known at the last reading.
    read_with: StoredValue<Option<ServerStatus>>,
    connection: Connection,
    chats: Chats,
    opened: OpenedChat,
    storage: Storage,
    notices: Notices,
}

impl Models {
    /// Nothing is known yet. `opened` is the chat whose model is asked for.
    pub(crate) fn unknown(opened: OpenedChat) -> Self {
        Self {
            known: RwSignal::default(),
            server_trouble: RwSignal::default(),
            last: RwSignal::default(),
            readings: StoredValue::new(0),
            read_with: StoredValue::new(None),
            connection: Connection::expect(),
            chats: Chats::expect(),
            opened,
            storage: Storage::expect(),
            notices: Notices::expect(),
        }
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The models that are known, by place.
    pub(crate) fn known(self) -> RwSignal<KnownModels> {
        self.known
    }

    /// What is wrong with the server, where that is why its models are not known.
    pub(crate) fn server_trouble(self) -> Option<String> {
        self.server_trouble.get()
    }

    /// Whether it is known which places have models, so that there being none means that there is none.
    pub(crate) fn is_known(self) -> bool {
        self.known.with(|known| known.is_complete)
    }

    /// Whether there is no model at all.
    pub(crate) fn is_empty(self) -> bool {
        self.known.with(KnownModels::is_empty)
    }

    /// The model that answers in the open chat: its own, else the one used last on this device, else the usual one. Nothing while that is
    /// not known.
    pub(crate) fn chosen(self) -> Option<ChosenModel> {
        let own = self.opened.open().and_then(|open| open.chat.model);
        self.known.with(|known| self.last.with(|last| known.chosen([own.as_ref(), last.as_ref()])))
    }

    /// The same, for who only looks.
    pub(crate) fn chosen_untracked(self) -> Option<ChosenModel> {
        untrack(move || self.chosen())
    }

    /// The model that answers in a chat, whichever is open.
    pub(crate) fn chosen_of(self, chat: &ChatId) -> Option<ChosenModel> {
        let own = self.chats.list().into_iter().find(|known| known.id == *chat).and_then(|known| known.model);
        self.known.with(|known| self.last.with(|last| known.chosen([own.as_ref(), last.as_ref()])))
    }

    /// Whether it may still be told which model answers in a chat, or what there is to know about it.
    pub(crate) fn is_awaited_in(self, chat: &ChatId) -> bool {
        match self.chosen_of(chat) {
            Some(chosen) => self.known.with(|known| known.is_awaited(&chosen.choice)),
            None => !self.is_empty(),
        }
    }

    /// Who has not told its models yet that are waited for in a chat, in words.
    pub(crate) fn awaited_in_words(self, chat: &ChatId) -> String {
        let choice = self.chosen_of(chat).map(|chosen| chosen.choice);
        let names: Vec<String> = self.known.with(|known| {
            let name = |place: &ModelPlace| match place {
                ModelPlace::Server(name) => format!("{name}, through the server,"),
                ModelPlace::Browser(name) => name.to_string(),
                ModelPlace::Page => "this page".to_owned(),
            };
            known.awaited(choice.as_ref()).map(name).collect()
        });
        match names.is_empty() {
            true => "the server".to_owned(),
            false => names.join(" and "),
        }
    }

    /// Whether there is a model that answers.
    pub(crate) fn is_chosen(self) -> bool {
        self.chosen().is_some()
    }

    /// Has another model answer from now on, in the open chat and in those that begin on this device.
    pub(crate) fn choose(self, choice: ModelChoice) {
        self.last.set(Some(choice.clone()));
        let (store, open) = (self.storage.store(), self.opened.open_untracked());
        spawn(async move {
            let chat = open.as_ref().map(|open| &open.chat);
            match models::choose(store, chat, &choice).await {
                Ok(()) if chat.is_some() => self.chats.changed().await,
                Ok(()) => {}
                Err(error) => {
                    self.notices.show(NoticeKind::Error, format!("Your choice of model was not saved: {error}."));
                }
            }
        });
    }

    /// Reads who offers which models, and again whenever the server comes or goes.
    pub(crate) fn follow(self) {
        page_models::on_news(move || self.read());
        Effect::new(move |_| {
            let Some(server) = self.connection.heard() else { return };
            if self.read_with.get_value().as_ref() != Some(&server) {
                self.read_with.set_value(Some(server));
                self.read();
            }
        });
    }

    /// Reads again who offers which models.
    pub(crate) fn read(self) {
        let number = self.readings.get_value() + 1;
        self.readings.set_value(number);
        spawn(async move {
            let last = models::last(self.storage.store()).await.ok().flatten();
            let mut found = self.of_server().await;
            found.extend(self.of_endpoints().await);
            found.extend(of_page().await);
            // Another reading may have overtaken this one.
            if self.readings.get_value() != number {
                return;
            }
            if self.last.with_untracked(Option::is_none) {
                self.last.set(last);
            }
            let asked: Vec<ModelPlace> = (found.iter())
                .filter(|group| group.standing == Standing::Asked)
                .map(|group| group.place.clone())
                .collect();
            self.known.update(|known| {
                let mut fresh = KnownModels { groups: found, is_complete: true };
                fresh.remember(known);
                *known = fresh;
            });
            for place in asked {
                spawn(self.ask(place, number));
            }
        });
    }

    async fn ask(self, place: ModelPlace, number: u32) {
        let answer = match &place {
            ModelPlace::Server(name) => {
                providers::models(&self.storage.store(), name).await.map_err(|error| error.to_string())
            }
            ModelPlace::Browser(name) => self.ask_endpoint(name.as_str()).await,
            ModelPlace::Page => return,
        };
        if self.readings.get_value() != number {
            return;
        }
        self.known.update(|known| {
            let Some(group) = known.groups.iter_mut().find(|group| group.place == place) else { return };
            match answer {
                Ok(models) => (group.standing, group.models) = (Standing::Here, models),
                Err(reason) => group.standing = Standing::Away(reason),
            }
        });
    }

    async fn ask_endpoint(self, name: &str) -> Result<Vec<ModelSummary>, String> {
        let store = self.storage.store();
        let all = endpoints::list(&store).await.map_err(|error| error.to_string())?;
        let endpoint = all.iter().find(|endpoint| endpoint.name.as_str() == name).ok_or("it was removed")?;
        endpoints::models(&store, endpoint).await.map_err(|error| error.to_string())
    }

    /// The groups of the server's providers.
    async fn of_server(self) -> Vec<ModelGroup> {
        let (groups, trouble) = match self.connection.server_untracked() {
            ServerStatus::Connected(policy) if policy.capabilities.contains(&Capability::Models) => {
                match providers::list(&self.storage.store()).await {
                    Ok(list) => (list.into_iter().map(group_of).collect(), None),
                    Err(error) => (Vec::new(), Some(error.to_string())),
                }
            }
            ServerStatus::NotConnected | ServerStatus::Connected(_) => (Vec::new(), None),
            ServerStatus::TokenRefused => self.away("the server no longer accepts the access token stored here"),
            ServerStatus::Unreachable => self.away("the server does not answer"),
            ServerStatus::Trouble(trouble) => self.away(&trouble),
        };
        self.server_trouble.set(trouble);
        groups
    }

    /// What the server offered when it was last heard, and why it cannot be had.
    fn away(self, trouble: &str) -> (Vec<ModelGroup>, Option<String>) {
        let before = self.known.with_untracked(|known| known.groups.clone());
        let of_server = before.into_iter().filter(|group| matches!(group.place, ModelPlace::Server(_)));
        let away = |group| ModelGroup { standing: Standing::Away(trouble.to_owned()), ..group };
        (of_server.map(away).collect(), Some(trouble.to_owned()))
    }

    async fn of_endpoints(self) -> Vec<ModelGroup> {
        let endpoints = endpoints::list(&self.storage.store()).await.unwrap_or_else(|error| {
            self.notices.show(NoticeKind::Warning, format!("The endpoints of models cannot be read: {error}."));
            Vec::new()
        });
        let group = |endpoint: satchel_core::model::Endpoint| ModelGroup {
            place: ModelPlace::Browser(endpoint.name),
            format: endpoint.format,
            standing: if endpoint.models.is_empty() { Standing::Asked } else { Standing::Here },
            models: endpoint.models.into_iter().map(ModelSummary::named).collect(),
        };
        endpoints.into_iter().map(group).collect()
    }
}

/// The models that are on this device.
async fn of_page() -> Option<ModelGroup> {
    let (standing, models) = match page_models::list().await {
        Ok(models) if models.is_empty() => return None,
        Ok(models) => (Standing::Here, models),
        Err(error) => (Standing::Away(error.to_string()), Vec::new()),
    };
    let summary = |model: PageModel| ModelSummary {
        name: model.is_demonstration().then(|| format!("{} (demonstration)", model.name)),
        context_length: Some(model.context_tokens),
        sees_images: Some(false),
        ..ModelSummary::named(model.name)
    };
    Some(ModelGroup {
        place: ModelPlace::Page,
        format: ProviderFormat::OpenAi,
        standing,
        models: models.into_iter().map(summary).collect(),
    })
}

fn group_of(provider: ProviderSummary) -> ModelGroup {
    let standing = match (provider.key, &provider.secret) {
        (KeyStanding::Missing, Some(secret)) => {
            Standing::Away(format!("its key is missing; enter {secret} in Settings, Secrets and variables"))
        }
        (KeyStanding::Missing, None) => {
            Standing::Away("its key is missing; the operator of the server has to set it".to_owned())
        }
        (KeyStanding::Set | KeyStanding::NotNeeded, _) if provider.models.is_empty() => Standing::Asked,
        (KeyStanding::Set | KeyStanding::NotNeeded, _) => Standing::Here,
    };
    ModelGroup {
        place: ModelPlace::Server(provider.name),
        format: provider.format,
        standing,
        models: provider.models.into_iter().map(ModelSummary::named).collect(),
    }
}
